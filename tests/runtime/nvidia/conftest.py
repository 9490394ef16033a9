"""Tests of launches on devices run with a driver that is played, also where there is a real one."""

from __future__ import annotations

from machine.cuda.played import played as played
