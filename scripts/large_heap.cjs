// Starts a program of Node again, with a heap that is large from the beginning:
//     NODE_OPTIONS="--require ./scripts/large_heap.cjs"
// Node takes these options from no variable. A heap that begins small is searched for garbage each time that it has
// grown: a seventh of the type checker's time, which keeps nearly all that it makes. And machine code for each function
// at once, not when it has been called often: the checker's are many, and it saves another seventh to a quarter.
"use strict";
const { spawnSync } = require("node:child_process");

const OPTIONS = ["--initial-old-space-size=4096", "--min-semi-space-size=64", "--max-semi-space-size=64", "--always-sparkplug"];
const others = process.env.NODE_OPTIONS.replace("--require ./scripts/large_heap.cjs", "");
const done = spawnSync(process.execPath, [...OPTIONS, ...process.argv.slice(1)], {
  env: { ...process.env, NODE_OPTIONS: others },
  stdio: "inherit",
});
process.exit(done.status ?? 1);
