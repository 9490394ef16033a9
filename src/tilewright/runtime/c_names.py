"""Names that C and C++ have for something else, as scripts/derive_c_names.py found them (glibc, gcc)."""

from __future__ import annotations

from typing import Final

RESERVED: Final = """
ADJ_ESTERROR ADJ_FREQUENCY ADJ_MAXERROR ADJ_MICRO ADJ_NANO ADJ_OFFSET ADJ_OFFSET_SINGLESHOT ADJ_OFFSET_SS_READ
ADJ_SETOFFSET ADJ_STATUS ADJ_TAI ADJ_TICK ADJ_TIMECONST AIO_PRIO_DELTA_MAX ATOMIC_BOOL_LOCK_FREE
ATOMIC_CHAR16_T_LOCK_FREE ATOMIC_CHAR32_T_LOCK_FREE ATOMIC_CHAR_LOCK_FREE ATOMIC_FLAG_INIT ATOMIC_INT_LOCK_FREE
ATOMIC_LLONG_LOCK_FREE ATOMIC_LONG_LOCK_FREE ATOMIC_POINTER_LOCK_FREE ATOMIC_SHORT_LOCK_FREE ATOMIC_WCHAR_T_LOCK_FREE
BC_BASE_MAX BC_DIM_MAX BC_SCALE_MAX BC_STRING_MAX BIG_ENDIAN BOOL_MAX BOOL_WIDTH BUFSIZ BYTE_ORDER CHARCLASS_NAME_MAX
CHAR_BIT CHAR_MAX CHAR_MIN CHAR_WIDTH CLOCKS_PER_SEC CLOCK_BOOTTIME CLOCK_BOOTTIME_ALARM CLOCK_MONOTONIC
CLOCK_MONOTONIC_COARSE CLOCK_MONOTONIC_RAW CLOCK_PROCESS_CPUTIME_ID CLOCK_REALTIME CLOCK_REALTIME_ALARM
CLOCK_REALTIME_COARSE CLOCK_TAI CLOCK_THREAD_CPUTIME_ID CLOSE_RANGE_CLOEXEC CLOSE_RANGE_UNSHARE COLL_WEIGHTS_MAX
DBL_DECIMAL_DIG DBL_DIG DBL_EPSILON DBL_HAS_SUBNORM DBL_MANT_DIG DBL_MAX DBL_MAX_10_EXP DBL_MAX_EXP DBL_MIN
DBL_MIN_10_EXP DBL_MIN_EXP DBL_TRUE_MIN DECIMAL_DIG DELAYTIMER_MAX E2BIG EACCES EADDRINUSE EADDRNOTAVAIL EADV
EAFNOSUPPORT EAGAIN EALREADY EBADE EBADF EBADFD EBADMSG EBADR EBADRQC EBADSLT EBFONT EBUSY ECANCELED ECHILD ECHRNG ECOMM
ECONNABORTED ECONNREFUSED ECONNRESET EDEADLK EDEADLOCK EDESTADDRREQ EDOM EDOTDOT EDQUOT EEXIST EFAULT EFBIG EHOSTDOWN
EHOSTUNREACH EHWPOISON EIDRM EILSEQ EINPROGRESS EINTR EINVAL EIO EISCONN EISDIR EISNAM EKEYEXPIRED EKEYREJECTED
EKEYREVOKED EL2HLT EL2NSYNC EL3HLT EL3RST ELIBACC ELIBBAD ELIBEXEC ELIBMAX ELIBSCN ELNRNG ELOOP EMEDIUMTYPE EMFILE
EMLINK EMSGSIZE EMULTIHOP ENAMETOOLONG ENAVAIL ENETDOWN ENETRESET ENETUNREACH ENFILE ENOANO ENOBUFS ENOCSI ENODATA
ENODEV ENOENT ENOEXEC ENOKEY ENOLCK ENOLINK ENOMEDIUM ENOMEM ENOMSG ENONET ENOPKG ENOPROTOOPT ENOSPC ENOSR ENOSTR ENOSYS
ENOTBLK ENOTCONN ENOTDIR ENOTEMPTY ENOTNAM ENOTRECOVERABLE ENOTSOCK ENOTSUP ENOTTY ENOTUNIQ ENXIO EOF EOPNOTSUPP
EOVERFLOW EOWNERDEAD EPERM EPFNOSUPPORT EPIPE EPROTO EPROTONOSUPPORT EPROTOTYPE ERANGE EREMCHG EREMOTE EREMOTEIO
ERESTART ERFKILL EROFS ESHUTDOWN ESOCKTNOSUPPORT ESPIPE ESRCH ESRMNT ESTALE ESTRPIPE ETIME ETIMEDOUT ETOOMANYREFS
ETXTBSY EUCLEAN EUNATCH EUSERS EWOULDBLOCK EXDEV EXFULL EXIT_FAILURE EXIT_SUCCESS EXPR_NEST_MAX FD_SETSIZE FE_ALL_EXCEPT
FE_DFL_ENV FE_DFL_MODE FE_DIVBYZERO FE_DOWNWARD FE_INEXACT FE_INVALID FE_NOMASK_ENV FE_OVERFLOW FE_TONEAREST
FE_TOWARDZERO FE_UNDERFLOW FE_UPWARD FILENAME_MAX FLT_DECIMAL_DIG FLT_DIG FLT_EPSILON FLT_EVAL_METHOD FLT_HAS_SUBNORM
FLT_MANT_DIG FLT_MAX FLT_MAX_10_EXP FLT_MAX_EXP FLT_MIN FLT_MIN_10_EXP FLT_MIN_EXP FLT_RADIX FLT_ROUNDS FLT_TRUE_MIN
FOPEN_MAX FP_ILOGB0 FP_ILOGBNAN FP_INFINITE FP_INT_DOWNWARD FP_INT_TONEAREST FP_INT_TONEARESTFROMZERO FP_INT_TOWARDZERO
FP_INT_UPWARD FP_LLOGB0 FP_LLOGBNAN FP_NAN FP_NORMAL FP_SUBNORMAL FP_XSTATE_MAGIC1 FP_XSTATE_MAGIC2
FP_XSTATE_MAGIC2_SIZE FP_ZERO F_LOCK F_OK F_TEST F_TLOCK F_ULOCK HOST_NAME_MAX HUGE_VAL HUGE_VALF HUGE_VALL
HUGE_VAL_F128 HUGE_VAL_F32 HUGE_VAL_F32X HUGE_VAL_F64 HUGE_VAL_F64X I INFINITY INT16_MAX INT16_MIN INT16_WIDTH INT32_MAX
INT32_MIN INT32_WIDTH INT64_MAX INT64_MIN INT64_WIDTH INT8_MAX INT8_MIN INT8_WIDTH INTMAX_MAX INTMAX_MIN INTMAX_WIDTH
INTPTR_MAX INTPTR_MIN INTPTR_WIDTH INT_FAST16_MAX INT_FAST16_MIN INT_FAST16_WIDTH INT_FAST32_MAX INT_FAST32_MIN
INT_FAST32_WIDTH INT_FAST64_MAX INT_FAST64_MIN INT_FAST64_WIDTH INT_FAST8_MAX INT_FAST8_MIN INT_FAST8_WIDTH
INT_LEAST16_MAX INT_LEAST16_MIN INT_LEAST16_WIDTH INT_LEAST32_MAX INT_LEAST32_MIN INT_LEAST32_WIDTH INT_LEAST64_MAX
INT_LEAST64_MIN INT_LEAST64_WIDTH INT_LEAST8_MAX INT_LEAST8_MIN INT_LEAST8_WIDTH INT_MAX INT_MIN INT_WIDTH IOV_MAX
LC_ADDRESS LC_ADDRESS_MASK LC_ALL LC_ALL_MASK LC_COLLATE LC_COLLATE_MASK LC_CTYPE LC_CTYPE_MASK LC_GLOBAL_LOCALE
LC_IDENTIFICATION LC_IDENTIFICATION_MASK LC_MEASUREMENT LC_MEASUREMENT_MASK LC_MESSAGES LC_MESSAGES_MASK LC_MONETARY
LC_MONETARY_MASK LC_NAME LC_NAME_MASK LC_NUMERIC LC_NUMERIC_MASK LC_PAPER LC_PAPER_MASK LC_TELEPHONE LC_TELEPHONE_MASK
LC_TIME LC_TIME_MASK LDBL_DECIMAL_DIG LDBL_DIG LDBL_EPSILON LDBL_HAS_SUBNORM LDBL_MANT_DIG LDBL_MAX LDBL_MAX_10_EXP
LDBL_MAX_EXP LDBL_MIN LDBL_MIN_10_EXP LDBL_MIN_EXP LDBL_TRUE_MIN LINE_MAX LITTLE_ENDIAN LLONG_MAX LLONG_MIN LLONG_WIDTH
LOGIN_NAME_MAX LONG_BIT LONG_LONG_MAX LONG_LONG_MIN LONG_MAX LONG_MIN LONG_WIDTH L_INCR L_SET L_XTND L_ctermid L_cuserid
L_tmpnam MATH_ERREXCEPT MATH_ERRNO MAXFLOAT MAX_CANON MAX_INPUT MB_CUR_MAX MB_LEN_MAX MINSIGSTKSZ MOD_CLKA MOD_CLKB
MOD_ESTERROR MOD_FREQUENCY MOD_MAXERROR MOD_MICRO MOD_NANO MOD_OFFSET MOD_STATUS MOD_TAI MOD_TIMECONST MQ_PRIO_MAX
M_1_PI M_1_PIf M_1_PIf128 M_1_PIf32 M_1_PIf32x M_1_PIf64 M_1_PIf64x M_1_PIl M_2_PI M_2_PIf M_2_PIf128 M_2_PIf32
M_2_PIf32x M_2_PIf64 M_2_PIf64x M_2_PIl M_2_SQRTPI M_2_SQRTPIf M_2_SQRTPIf128 M_2_SQRTPIf32 M_2_SQRTPIf32x M_2_SQRTPIf64
M_2_SQRTPIf64x M_2_SQRTPIl M_E M_Ef M_Ef128 M_Ef32 M_Ef32x M_Ef64 M_Ef64x M_El M_LN10 M_LN10f M_LN10f128 M_LN10f32
M_LN10f32x M_LN10f64 M_LN10f64x M_LN10l M_LN2 M_LN2f M_LN2f128 M_LN2f32 M_LN2f32x M_LN2f64 M_LN2f64x M_LN2l M_LOG10E
M_LOG10Ef M_LOG10Ef128 M_LOG10Ef32 M_LOG10Ef32x M_LOG10Ef64 M_LOG10Ef64x M_LOG10El M_LOG2E M_LOG2Ef M_LOG2Ef128
M_LOG2Ef32 M_LOG2Ef32x M_LOG2Ef64 M_LOG2Ef64x M_LOG2El M_PI M_PI_2 M_PI_2f M_PI_2f128 M_PI_2f32 M_PI_2f32x M_PI_2f64
M_PI_2f64x M_PI_2l M_PI_4 M_PI_4f M_PI_4f128 M_PI_4f32 M_PI_4f32x M_PI_4f64 M_PI_4f64x M_PI_4l M_PIf M_PIf128 M_PIf32
M_PIf32x M_PIf64 M_PIf64x M_PIl M_SQRT1_2 M_SQRT1_2f M_SQRT1_2f128 M_SQRT1_2f32 M_SQRT1_2f32x M_SQRT1_2f64 M_SQRT1_2f64x
M_SQRT1_2l M_SQRT2 M_SQRT2f M_SQRT2f128 M_SQRT2f32 M_SQRT2f32x M_SQRT2f64 M_SQRT2f64x M_SQRT2l NAME_MAX NAN NFDBITS
NGREG NGROUPS_MAX NL_ARGMAX NL_LANGMAX NL_MSGMAX NL_NMAX NL_SETMAX NL_TEXTMAX NSIG NULL NZERO ONCE_FLAG_INIT PATH_MAX
PDP_ENDIAN PIPE_BUF PRIB16 PRIB32 PRIB64 PRIB8 PRIBFAST16 PRIBFAST32 PRIBFAST64 PRIBFAST8 PRIBLEAST16 PRIBLEAST32
PRIBLEAST64 PRIBLEAST8 PRIBMAX PRIBPTR PRIX16 PRIX32 PRIX64 PRIX8 PRIXFAST16 PRIXFAST32 PRIXFAST64 PRIXFAST8 PRIXLEAST16
PRIXLEAST32 PRIXLEAST64 PRIXLEAST8 PRIXMAX PRIXPTR PRIb16 PRIb32 PRIb64 PRIb8 PRIbFAST16 PRIbFAST32 PRIbFAST64 PRIbFAST8
PRIbLEAST16 PRIbLEAST32 PRIbLEAST64 PRIbLEAST8 PRIbMAX PRIbPTR PRId16 PRId32 PRId64 PRId8 PRIdFAST16 PRIdFAST32
PRIdFAST64 PRIdFAST8 PRIdLEAST16 PRIdLEAST32 PRIdLEAST64 PRIdLEAST8 PRIdMAX PRIdPTR PRIi16 PRIi32 PRIi64 PRIi8
PRIiFAST16 PRIiFAST32 PRIiFAST64 PRIiFAST8 PRIiLEAST16 PRIiLEAST32 PRIiLEAST64 PRIiLEAST8 PRIiMAX PRIiPTR PRIo16 PRIo32
PRIo64 PRIo8 PRIoFAST16 PRIoFAST32 PRIoFAST64 PRIoFAST8 PRIoLEAST16 PRIoLEAST32 PRIoLEAST64 PRIoLEAST8 PRIoMAX PRIoPTR
PRIu16 PRIu32 PRIu64 PRIu8 PRIuFAST16 PRIuFAST32 PRIuFAST64 PRIuFAST8 PRIuLEAST16 PRIuLEAST32 PRIuLEAST64 PRIuLEAST8
PRIuMAX PRIuPTR PRIx16 PRIx32 PRIx64 PRIx8 PRIxFAST16 PRIxFAST32 PRIxFAST64 PRIxFAST8 PRIxLEAST16 PRIxLEAST32
PRIxLEAST64 PRIxLEAST8 PRIxMAX PRIxPTR PTHREAD_DESTRUCTOR_ITERATIONS PTHREAD_KEYS_MAX PTHREAD_STACK_MIN PTRDIFF_MAX
PTRDIFF_MIN PTRDIFF_WIDTH P_tmpdir RAND_MAX RENAME_EXCHANGE RENAME_NOREPLACE RENAME_WHITEOUT RE_DUP_MAX RTSIG_MAX R_OK
SA_INTERRUPT SA_NOCLDSTOP SA_NOCLDWAIT SA_NODEFER SA_NOMASK SA_ONESHOT SA_ONSTACK SA_RESETHAND SA_RESTART SA_SIGINFO
SA_STACK SCHAR_MAX SCHAR_MIN SCHAR_WIDTH SCNb16 SCNb32 SCNb64 SCNb8 SCNbFAST16 SCNbFAST32 SCNbFAST64 SCNbFAST8
SCNbLEAST16 SCNbLEAST32 SCNbLEAST64 SCNbLEAST8 SCNbMAX SCNbPTR SCNd16 SCNd32 SCNd64 SCNd8 SCNdFAST16 SCNdFAST32
SCNdFAST64 SCNdFAST8 SCNdLEAST16 SCNdLEAST32 SCNdLEAST64 SCNdLEAST8 SCNdMAX SCNdPTR SCNi16 SCNi32 SCNi64 SCNi8
SCNiFAST16 SCNiFAST32 SCNiFAST64 SCNiFAST8 SCNiLEAST16 SCNiLEAST32 SCNiLEAST64 SCNiLEAST8 SCNiMAX SCNiPTR SCNo16 SCNo32
SCNo64 SCNo8 SCNoFAST16 SCNoFAST32 SCNoFAST64 SCNoFAST8 SCNoLEAST16 SCNoLEAST32 SCNoLEAST64 SCNoLEAST8 SCNoMAX SCNoPTR
SCNu16 SCNu32 SCNu64 SCNu8 SCNuFAST16 SCNuFAST32 SCNuFAST64 SCNuFAST8 SCNuLEAST16 SCNuLEAST32 SCNuLEAST64 SCNuLEAST8
SCNuMAX SCNuPTR SCNx16 SCNx32 SCNx64 SCNx8 SCNxFAST16 SCNxFAST32 SCNxFAST64 SCNxFAST8 SCNxLEAST16 SCNxLEAST32
SCNxLEAST64 SCNxLEAST8 SCNxMAX SCNxPTR SEEK_CUR SEEK_DATA SEEK_END SEEK_HOLE SEEK_SET SEM_VALUE_MAX SHRT_MAX SHRT_MIN
SHRT_WIDTH SIGABRT SIGALRM SIGBUS SIGCHLD SIGCLD SIGCONT SIGFPE SIGHUP SIGILL SIGINT SIGIO SIGIOT SIGKILL SIGPIPE
SIGPOLL SIGPROF SIGPWR SIGQUIT SIGRTMAX SIGRTMIN SIGSEGV SIGSTKFLT SIGSTKSZ SIGSTOP SIGSYS SIGTERM SIGTRAP SIGTSTP
SIGTTIN SIGTTOU SIGURG SIGUSR1 SIGUSR2 SIGVTALRM SIGWINCH SIGXCPU SIGXFSZ SIG_ATOMIC_MAX SIG_ATOMIC_MIN SIG_ATOMIC_WIDTH
SIG_BLOCK SIG_DFL SIG_ERR SIG_HOLD SIG_IGN SIG_SETMASK SIG_UNBLOCK SIZE_MAX SIZE_WIDTH SNAN SNANF SNANF128 SNANF32
SNANF32X SNANF64 SNANF64X SNANL SSIZE_MAX STA_CLK STA_CLOCKERR STA_DEL STA_FLL STA_FREQHOLD STA_INS STA_MODE STA_NANO
STA_PLL STA_PPSERROR STA_PPSFREQ STA_PPSJITTER STA_PPSSIGNAL STA_PPSTIME STA_PPSWANDER STA_RONLY STA_UNSYNC
STDERR_FILENO STDIN_FILENO STDOUT_FILENO TIMER_ABSTIME TIME_UTC TMP_MAX TSS_DTOR_ITERATIONS TTY_NAME_MAX UCHAR_MAX
UCHAR_WIDTH UINT16_MAX UINT16_WIDTH UINT32_MAX UINT32_WIDTH UINT64_MAX UINT64_WIDTH UINT8_MAX UINT8_WIDTH UINTMAX_MAX
UINTMAX_WIDTH UINTPTR_MAX UINTPTR_WIDTH UINT_FAST16_MAX UINT_FAST16_WIDTH UINT_FAST32_MAX UINT_FAST32_WIDTH
UINT_FAST64_MAX UINT_FAST64_WIDTH UINT_FAST8_MAX UINT_FAST8_WIDTH UINT_LEAST16_MAX UINT_LEAST16_WIDTH UINT_LEAST32_MAX
UINT_LEAST32_WIDTH UINT_LEAST64_MAX UINT_LEAST64_WIDTH UINT_LEAST8_MAX UINT_LEAST8_WIDTH UINT_MAX UINT_WIDTH ULLONG_MAX
ULLONG_WIDTH ULONG_LONG_MAX ULONG_MAX ULONG_WIDTH USHRT_MAX USHRT_WIDTH WCHAR_MAX WCHAR_MIN WCHAR_WIDTH WCONTINUED WEOF
WEXITED WINT_MAX WINT_MIN WINT_WIDTH WNOHANG WNOWAIT WORD_BIT WSTOPPED WUNTRACED W_OK XATTR_LIST_MAX XATTR_NAME_MAX
XATTR_SIZE_MAX X_OK alignas alignof and and_eq auto bitand bitor bool break case catch char char16_t char32_t char8_t
class compl complex concept const const_cast consteval constexpr continue decltype default delete do double else enum
errno explicit extern false float for friend if inline int linux long math_errhandling namespace new noexcept noreturn
not not_eq nullptr operator or or_eq private protected public reinterpret_cast requires return sa_handler sa_sigaction
short si_addr si_addr_lsb si_arch si_band si_call_addr si_fd si_int si_lower si_overrun si_pid si_pkey si_ptr si_status
si_stime si_syscall si_timerid si_uid si_upper si_utime si_value sigev_notify_attributes sigev_notify_function signed
sizeof static static_assert static_cast struct switch template this thread_local throw true try typedef typename union
unix unsigned using virtual void volatile wchar_t while xor xor_eq
"""
"""Keywords and macros: they name nothing, not even members."""

DECLARED: Final = """
ATOMIC_VAR_INIT BUS_ADRALN BUS_ADRERR BUS_MCEERR_AO BUS_MCEERR_AR BUS_OBJERR CLD_CONTINUED CLD_DUMPED CLD_EXITED
CLD_KILLED CLD_STOPPED CLD_TRAPPED CMPLX CMPLXF CMPLXL FD_CLR FD_ISSET FD_SET FD_ZERO FILE FPE_CONDTRAP FPE_FLTDIV
FPE_FLTINV FPE_FLTOVF FPE_FLTRES FPE_FLTSUB FPE_FLTUND FPE_FLTUNK FPE_INTDIV FPE_INTOVF ILL_BADIADDR ILL_BADSTK
ILL_COPROC ILL_ILLADR ILL_ILLOPC ILL_ILLOPN ILL_ILLTRP ILL_PRVOPC ILL_PRVREG INT16_C INT32_C INT64_C INT8_C INTMAX_C
POLL_ERR POLL_HUP POLL_IN POLL_MSG POLL_OUT POLL_PRI REG_CR2 REG_CSGSFS REG_EFL REG_ERR REG_OLDMASK REG_R10 REG_R11
REG_R12 REG_R13 REG_R14 REG_R15 REG_R8 REG_R9 REG_RAX REG_RBP REG_RBX REG_RCX REG_RDI REG_RDX REG_RIP REG_RSI REG_RSP
REG_TRAPNO SEGV_ACCADI SEGV_ACCERR SEGV_ADIDERR SEGV_ADIPERR SEGV_BNDERR SEGV_CPERR SEGV_MAPERR SEGV_MTEAERR
SEGV_MTESERR SEGV_PKUERR SIGEV_NONE SIGEV_SIGNAL SIGEV_THREAD SIGEV_THREAD_ID SI_ASYNCIO SI_ASYNCNL SI_DETHREAD
SI_KERNEL SI_MESGQ SI_QUEUE SI_SIGIO SI_TIMER SI_TKILL SI_USER SS_DISABLE SS_ONSTACK TEMP_FAILURE_RETRY TRAP_BRANCH
TRAP_BRKPT TRAP_HWBKPT TRAP_TRACE TRAP_UNK UINT16_C UINT32_C UINT64_C UINT8_C UINTMAX_C WEXITSTATUS WIFCONTINUED
WIFEXITED WIFSIGNALED WIFSTOPPED WSTOPSIG WTERMSIG _exit _longjmp _setjmp _tolower _toupper a64l abort abs access acct
acos acosf acosf128 acosf32 acosf32x acosf64 acosf64x acosh acoshf acoshf128 acoshf32 acoshf32x acoshf64 acoshf64x
acoshl acosl alarm aligned_alloc alloca arc4random arc4random_buf arc4random_uniform asctime asctime_r asin asinf
asinf128 asinf32 asinf32x asinf64 asinf64x asinh asinhf asinhf128 asinhf32 asinhf32x asinhf64 asinhf64x asinhl asinl
asprintf assert assert_perror at_quick_exit atan atan2 atan2f atan2f128 atan2f32 atan2f32x atan2f64 atan2f64x atan2l
atanf atanf128 atanf32 atanf32x atanf64 atanf64x atanh atanhf atanhf128 atanhf32 atanhf32x atanhf64 atanhf64x atanhl
atanl atexit atof atoi atol atoll atomic_bool atomic_char atomic_char16_t atomic_char32_t atomic_compare_exchange_strong
atomic_compare_exchange_strong_explicit atomic_compare_exchange_weak atomic_compare_exchange_weak_explicit
atomic_exchange atomic_exchange_explicit atomic_fetch_add atomic_fetch_add_explicit atomic_fetch_and
atomic_fetch_and_explicit atomic_fetch_or atomic_fetch_or_explicit atomic_fetch_sub atomic_fetch_sub_explicit
atomic_fetch_xor atomic_fetch_xor_explicit atomic_flag atomic_flag_clear atomic_flag_clear_explicit
atomic_flag_test_and_set atomic_flag_test_and_set_explicit atomic_init atomic_int atomic_int_fast16_t
atomic_int_fast32_t atomic_int_fast64_t atomic_int_fast8_t atomic_int_least16_t atomic_int_least32_t
atomic_int_least64_t atomic_int_least8_t atomic_intmax_t atomic_intptr_t atomic_is_lock_free atomic_llong atomic_load
atomic_load_explicit atomic_long atomic_ptrdiff_t atomic_schar atomic_short atomic_signal_fence atomic_size_t
atomic_store atomic_store_explicit atomic_thread_fence atomic_uchar atomic_uint atomic_uint_fast16_t
atomic_uint_fast32_t atomic_uint_fast64_t atomic_uint_fast8_t atomic_uint_least16_t atomic_uint_least32_t
atomic_uint_least64_t atomic_uint_least8_t atomic_uintmax_t atomic_uintptr_t atomic_ullong atomic_ulong atomic_ushort
atomic_wchar_t bcmp bcopy be16toh be32toh be64toh blkcnt64_t blkcnt_t blksize_t brk bsearch btowc bzero c16rtomb
c32rtomb c8rtomb cabs cabsf cabsl cacos cacosf cacosh cacoshf cacoshl cacosl caddr_t call_once calloc canonicalize
canonicalize_file_name canonicalizef canonicalizef128 canonicalizef32 canonicalizef32x canonicalizef64 canonicalizef64x
canonicalizel carg cargf cargl casin casinf casinh casinhf casinhl casinl catan catanf catanh catanhf catanhl catanl
cbrt cbrtf cbrtf128 cbrtf32 cbrtf32x cbrtf64 cbrtf64x cbrtl ccos ccosf ccosh ccoshf ccoshl ccosl ceil ceilf ceilf128
ceilf32 ceilf32x ceilf64 ceilf64x ceill cexp cexpf cexpl chdir chown chroot cimag cimagf cimagl clearenv clearerr
clearerr_unlocked clock clock_adjtime clock_getcpuclockid clock_getres clock_gettime clock_nanosleep clock_settime
clock_t clockid_t clog clogf clogl close close_range closefrom cnd_broadcast cnd_destroy cnd_init cnd_signal cnd_t
cnd_timedwait cnd_wait comparison_fn_t confstr conj conjf conjl cookie_close_function_t cookie_io_functions_t
cookie_read_function_t cookie_seek_function_t cookie_write_function_t copy_file_range copysign copysignf copysignf128
copysignf32 copysignf32x copysignf64 copysignf64x copysignl cos cosf cosf128 cosf32 cosf32x cosf64 cosf64x cosh coshf
coshf128 coshf32 coshf32x coshf64 coshf64x coshl cosl cpow cpowf cpowl cproj cprojf cprojl creal crealf creall crypt
csin csinf csinh csinhf csinhl csinl csqrt csqrtf csqrtl ctan ctanf ctanh ctanhf ctanhl ctanl ctermid ctime ctime_r
cuserid daddl daddr_t daemon daylight ddivl dev_t dfmal difftime div div_t dmull double_t dprintf drand48 drand48_r drem
dremf dreml dsqrtl dsubl dup dup2 dup3 duplocale dysize eaccess ecvt ecvt_r endusershell environ erand48 erand48_r erf
erfc erfcf erfcf128 erfcf32 erfcf32x erfcf64 erfcf64x erfcl erff erff128 erff32 erff32x erff64 erff64x erfl error_t
euidaccess execl execle execlp execv execve execveat execvp execvpe exit exp exp10 exp10f exp10f128 exp10f32 exp10f32x
exp10f64 exp10f64x exp10l exp2 exp2f exp2f128 exp2f32 exp2f32x exp2f64 exp2f64x exp2l expf expf128 expf32 expf32x expf64
expf64x expl explicit_bzero expm1 expm1f expm1f128 expm1f32 expm1f32x expm1f64 expm1f64x expm1l f32addf128 f32addf32x
f32addf64 f32addf64x f32divf128 f32divf32x f32divf64 f32divf64x f32fmaf128 f32fmaf32x f32fmaf64 f32fmaf64x f32mulf128
f32mulf32x f32mulf64 f32mulf64x f32sqrtf128 f32sqrtf32x f32sqrtf64 f32sqrtf64x f32subf128 f32subf32x f32subf64
f32subf64x f32xaddf128 f32xaddf64 f32xaddf64x f32xdivf128 f32xdivf64 f32xdivf64x f32xfmaf128 f32xfmaf64 f32xfmaf64x
f32xmulf128 f32xmulf64 f32xmulf64x f32xsqrtf128 f32xsqrtf64 f32xsqrtf64x f32xsubf128 f32xsubf64 f32xsubf64x f64addf128
f64addf64x f64divf128 f64divf64x f64fmaf128 f64fmaf64x f64mulf128 f64mulf64x f64sqrtf128 f64sqrtf64x f64subf128
f64subf64x f64xaddf128 f64xdivf128 f64xfmaf128 f64xmulf128 f64xsqrtf128 f64xsubf128 fabs fabsf fabsf128 fabsf32 fabsf32x
fabsf64 fabsf64x fabsl faccessat fadd faddl fchdir fchown fchownat fclose fcloseall fcvt fcvt_r fd_mask fd_set fdatasync
fdim fdimf fdimf128 fdimf32 fdimf32x fdimf64 fdimf64x fdiml fdiv fdivl fdopen feclearexcept fedisableexcept
feenableexcept fegetenv fegetexcept fegetexceptflag fegetmode fegetround feholdexcept femode_t fenv_t feof feof_unlocked
feraiseexcept ferror ferror_unlocked fesetenv fesetexcept fesetexceptflag fesetmode fesetround fetestexcept
fetestexceptflag feupdateenv fexcept_t fexecve fflush fflush_unlocked ffma ffmal ffs ffsl ffsll fgetc fgetc_unlocked
fgetpos fgetpos64 fgets fgets_unlocked fgetwc fgetwc_unlocked fgetws fgetws_unlocked fileno fileno_unlocked finite
finitef finitel float_t flockfile floor floorf floorf128 floorf32 floorf32x floorf64 floorf64x floorl fma fmaf fmaf128
fmaf32 fmaf32x fmaf64 fmaf64x fmal fmax fmaxf fmaxf128 fmaxf32 fmaxf32x fmaxf64 fmaxf64x fmaximum fmaximum_mag
fmaximum_mag_num fmaximum_mag_numf fmaximum_mag_numf128 fmaximum_mag_numf32 fmaximum_mag_numf32x fmaximum_mag_numf64
fmaximum_mag_numf64x fmaximum_mag_numl fmaximum_magf fmaximum_magf128 fmaximum_magf32 fmaximum_magf32x fmaximum_magf64
fmaximum_magf64x fmaximum_magl fmaximum_num fmaximum_numf fmaximum_numf128 fmaximum_numf32 fmaximum_numf32x
fmaximum_numf64 fmaximum_numf64x fmaximum_numl fmaximumf fmaximumf128 fmaximumf32 fmaximumf32x fmaximumf64 fmaximumf64x
fmaximuml fmaxl fmaxmag fmaxmagf fmaxmagf128 fmaxmagf32 fmaxmagf32x fmaxmagf64 fmaxmagf64x fmaxmagl fmemopen fmin fminf
fminf128 fminf32 fminf32x fminf64 fminf64x fminimum fminimum_mag fminimum_mag_num fminimum_mag_numf fminimum_mag_numf128
fminimum_mag_numf32 fminimum_mag_numf32x fminimum_mag_numf64 fminimum_mag_numf64x fminimum_mag_numl fminimum_magf
fminimum_magf128 fminimum_magf32 fminimum_magf32x fminimum_magf64 fminimum_magf64x fminimum_magl fminimum_num
fminimum_numf fminimum_numf128 fminimum_numf32 fminimum_numf32x fminimum_numf64 fminimum_numf64x fminimum_numl fminimumf
fminimumf128 fminimumf32 fminimumf32x fminimumf64 fminimumf64x fminimuml fminl fminmag fminmagf fminmagf128 fminmagf32
fminmagf32x fminmagf64 fminmagf64x fminmagl fmod fmodf fmodf128 fmodf32 fmodf32x fmodf64 fmodf64x fmodl fmul fmull fopen
fopen64 fopencookie fork fpathconf fpclassify fpos64_t fpos_t fpregset_t fprintf fputc fputc_unlocked fputs
fputs_unlocked fputwc fputwc_unlocked fputws fputws_unlocked fread fread_unlocked free freelocale freopen freopen64
frexp frexpf frexpf128 frexpf32 frexpf32x frexpf64 frexpf64x frexpl fromfp fromfpf fromfpf128 fromfpf32 fromfpf32x
fromfpf64 fromfpf64x fromfpl fromfpx fromfpxf fromfpxf128 fromfpxf32 fromfpxf32x fromfpxf64 fromfpxf64x fromfpxl
fsblkcnt64_t fsblkcnt_t fscanf fseek fseeko fseeko64 fsetpos fsetpos64 fsfilcnt64_t fsfilcnt_t fsid_t fsqrt fsqrtl fsub
fsubl fsync ftell ftello ftello64 ftruncate ftruncate64 ftrylockfile funlockfile fwide fwprintf fwrite fwrite_unlocked
fwscanf gamma gammaf gammal gcvt get_current_dir_name getc getc_unlocked getchar getchar_unlocked getcwd getdate
getdate_err getdate_r getdelim getdomainname getdtablesize getegid getentropy getenv geteuid getgid getgroups gethostid
gethostname getline getloadavg getlogin getlogin_r getopt getpagesize getpass getpayload getpayloadf getpayloadf128
getpayloadf32 getpayloadf32x getpayloadf64 getpayloadf64x getpayloadl getpgid getpgrp getpid getppid getpt getresgid
getresuid getsid getsubopt gettid getuid getusershell getw getwc getwc_unlocked getwchar getwchar_unlocked getwd gid_t
gmtime gmtime_r grantpt greg_t gregset_t group_member gsignal htobe16 htobe32 htobe64 htole16 htole32 htole64 hypot
hypotf hypotf128 hypotf32 hypotf32x hypotf64 hypotf64x hypotl id_t ilogb ilogbf ilogbf128 ilogbf32 ilogbf32x ilogbf64
ilogbf64x ilogbl imaxabs imaxdiv imaxdiv_t index initstate initstate_r ino64_t ino_t int16_t int32_t int64_t int8_t
int_fast16_t int_fast32_t int_fast64_t int_fast8_t int_least16_t int_least32_t int_least64_t int_least8_t intmax_t
intptr_t isalnum isalnum_l isalpha isalpha_l isascii isascii_l isatty isblank isblank_l iscntrl iscntrl_l isctype
isdigit isdigit_l isfinite isgraph isgraph_l isgreater isgreaterequal isinf isinff isinfl isless islessequal
islessgreater islower islower_l isnan isnanf isnanl isnormal isprint isprint_l ispunct ispunct_l isspace isspace_l
issubnormal isunordered isupper isupper_l iswalnum iswalnum_l iswalpha iswalpha_l iswblank iswblank_l iswcntrl
iswcntrl_l iswctype iswctype_l iswdigit iswdigit_l iswgraph iswgraph_l iswlower iswlower_l iswprint iswprint_l iswpunct
iswpunct_l iswspace iswspace_l iswupper iswupper_l iswxdigit iswxdigit_l isxdigit isxdigit_l j0 j0f j0f128 j0f32 j0f32x
j0f64 j0f64x j0l j1 j1f j1f128 j1f32 j1f32x j1f64 j1f64x j1l jmp_buf jn jnf jnf128 jnf32 jnf32x jnf64 jnf64x jnl jrand48
jrand48_r key_t kill kill_dependency killpg l64a labs lchown lcong48 lcong48_r ldexp ldexpf ldexpf128 ldexpf32 ldexpf32x
ldexpf64 ldexpf64x ldexpl ldiv ldiv_t le16toh le32toh le64toh lgamma lgamma_r lgammaf lgammaf128 lgammaf128_r lgammaf32
lgammaf32_r lgammaf32x lgammaf32x_r lgammaf64 lgammaf64_r lgammaf64x lgammaf64x_r lgammaf_r lgammal lgammal_r link
linkat llabs lldiv lldiv_t llogb llogbf llogbf128 llogbf32 llogbf32x llogbf64 llogbf64x llogbl llrint llrintf llrintf128
llrintf32 llrintf32x llrintf64 llrintf64x llrintl llround llroundf llroundf128 llroundf32 llroundf32x llroundf64
llroundf64x llroundl locale_t localeconv localtime localtime_r lockf lockf64 loff_t log log10 log10f log10f128 log10f32
log10f32x log10f64 log10f64x log10l log1p log1pf log1pf128 log1pf32 log1pf32x log1pf64 log1pf64x log1pl log2 log2f
log2f128 log2f32 log2f32x log2f64 log2f64x log2l logb logbf logbf128 logbf32 logbf32x logbf64 logbf64x logbl logf
logf128 logf32 logf32x logf64 logf64x logl longjmp lrand48 lrand48_r lrint lrintf lrintf128 lrintf32 lrintf32x lrintf64
lrintf64x lrintl lround lroundf lroundf128 lroundf32 lroundf32x lroundf64 lroundf64x lroundl lseek lseek64 malloc
max_align_t mblen mbrlen mbrtoc16 mbrtoc32 mbrtoc8 mbrtowc mbsinit mbsnrtowcs mbsrtowcs mbstate_t mbstowcs mbtowc
mcontext_t memccpy memchr memcmp memcpy memfrob memmem memmove memory_order memory_order_acq_rel memory_order_acquire
memory_order_consume memory_order_relaxed memory_order_release memory_order_seq_cst mempcpy memset mkdtemp mkostemp
mkostemp64 mkostemps mkostemps64 mkstemp mkstemp64 mkstemps mkstemps64 mktemp mktime mode_t modf modff modff128 modff32
modff32x modff64 modff64x modfl mrand48 mrand48_r mtx_destroy mtx_init mtx_lock mtx_plain mtx_recursive mtx_t mtx_timed
mtx_timedlock mtx_trylock mtx_unlock nan nanf nanf128 nanf32 nanf32x nanf64 nanf64x nanl nanosleep nearbyint nearbyintf
nearbyintf128 nearbyintf32 nearbyintf32x nearbyintf64 nearbyintf64x nearbyintl newlocale nextafter nextafterf
nextafterf128 nextafterf32 nextafterf32x nextafterf64 nextafterf64x nextafterl nextdown nextdownf nextdownf128
nextdownf32 nextdownf32x nextdownf64 nextdownf64x nextdownl nexttoward nexttowardf nexttowardl nextup nextupf nextupf128
nextupf32 nextupf32x nextupf64 nextupf64x nextupl nice nlink_t nrand48 nrand48_r nullptr_t obstack_printf
obstack_vprintf off64_t off_t offsetof on_exit once_flag open_memstream open_wmemstream optarg opterr optind optopt
pathconf pause pclose perror pid_t pipe pipe2 popen posix_memalign posix_openpt pow powf powf128 powf32 powf32x powf64
powf64x powl pread pread64 printf profil program_invocation_name program_invocation_short_name pselect psiginfo psignal
pthread_attr_t pthread_barrier_t pthread_barrierattr_t pthread_cond_t pthread_condattr_t pthread_key_t pthread_kill
pthread_mutex_t pthread_mutexattr_t pthread_once_t pthread_rwlock_t pthread_rwlockattr_t pthread_sigmask
pthread_sigqueue pthread_spinlock_t pthread_t ptrdiff_t ptsname ptsname_r putc putc_unlocked putchar putchar_unlocked
putenv puts putw putwc putwc_unlocked putwchar putwchar_unlocked pwrite pwrite64 qecvt qecvt_r qfcvt qfcvt_r qgcvt qsort
qsort_r quad_t quick_exit raise rand rand_r random random_r read readlink readlinkat realloc reallocarray realpath
register_t remainder remainderf remainderf128 remainderf32 remainderf32x remainderf64 remainderf64x remainderl remove
remquo remquof remquof128 remquof32 remquof32x remquof64 remquof64x remquol rename renameat renameat2 revoke rewind
rindex rint rintf rintf128 rintf32 rintf32x rintf64 rintf64x rintl rmdir round roundeven roundevenf roundevenf128
roundevenf32 roundevenf32x roundevenf64 roundevenf64x roundevenl roundf roundf128 roundf32 roundf32x roundf64 roundf64x
roundl rpmatch sbrk scalb scalbf scalbl scalbln scalblnf scalblnf128 scalblnf32 scalblnf32x scalblnf64 scalblnf64x
scalblnl scalbn scalbnf scalbnf128 scalbnf32 scalbnf32x scalbnf64 scalbnf64x scalbnl scanf secure_getenv seed48 seed48_r
select setbuf setbuffer setdomainname setegid setenv seteuid setgid sethostid sethostname setjmp setlinebuf setlocale
setlogin setpayload setpayloadf setpayloadf128 setpayloadf32 setpayloadf32x setpayloadf64 setpayloadf64x setpayloadl
setpayloadsig setpayloadsigf setpayloadsigf128 setpayloadsigf32 setpayloadsigf32x setpayloadsigf64 setpayloadsigf64x
setpayloadsigl setpgid setpgrp setregid setresgid setresuid setreuid setsid setstate setstate_r setuid setusershell
setvbuf sig_atomic_t sig_t sigabbrev_np sigaction sigaddset sigaltstack sigandset sigblock sigdelset sigdescr_np
sigemptyset sigevent_t sigfillset siggetmask sighandler_t sighold sigignore siginfo_t siginterrupt sigisemptyset
sigismember sigjmp_buf siglongjmp sigmask signal signbit signgam significand significandf significandl sigorset sigpause
sigpending sigprocmask sigqueue sigrelse sigreturn sigset sigset_t sigsetjmp sigsetmask sigstack sigsuspend sigtimedwait
sigval_t sigwait sigwaitinfo sin sincos sincosf sincosf128 sincosf32 sincosf32x sincosf64 sincosf64x sincosl sinf
sinf128 sinf32 sinf32x sinf64 sinf64x sinh sinhf sinhf128 sinhf32 sinhf32x sinhf64 sinhf64x sinhl sinl size_t sleep
snprintf socklen_t sprintf sqrt sqrtf sqrtf128 sqrtf32 sqrtf32x sqrtf64 sqrtf64x sqrtl srand srand48 srand48_r srandom
srandom_r sscanf ssignal ssize_t stack_t std stderr stdin stdout stpcpy stpncpy strcasecmp strcasecmp_l strcasestr
strcat strchr strchrnul strcmp strcoll strcoll_l strcpy strcspn strdup strdupa strerror strerror_l strerror_r
strerrordesc_np strerrorname_np strfromd strfromf strfromf128 strfromf32 strfromf32x strfromf64 strfromf64x strfroml
strfry strftime strftime_l strlcat strlcpy strlen strncasecmp strncasecmp_l strncat strncmp strncpy strndup strndupa
strnlen strpbrk strptime strptime_l strrchr strsep strsignal strspn strstr strtod strtod_l strtof strtof128 strtof128_l
strtof32 strtof32_l strtof32x strtof32x_l strtof64 strtof64_l strtof64x strtof64x_l strtof_l strtoimax strtok strtok_r
strtol strtol_l strtold strtold_l strtoll strtoll_l strtoq strtoul strtoul_l strtoull strtoull_l strtoumax strtouq
strverscmp strxfrm strxfrm_l suseconds_t swab swprintf swscanf symlink symlinkat sync syncfs syscall sysconf system
sysv_signal tan tanf tanf128 tanf32 tanf32x tanf64 tanf64x tanh tanhf tanhf128 tanhf32 tanhf32x tanhf64 tanhf64x tanhl
tanl tcgetpgrp tcsetpgrp tempnam tgamma tgammaf tgammaf128 tgammaf32 tgammaf32x tgammaf64 tgammaf64x tgammal tgkill
thrd_busy thrd_create thrd_current thrd_detach thrd_equal thrd_error thrd_exit thrd_join thrd_nomem thrd_sleep
thrd_start_t thrd_success thrd_t thrd_timedout thrd_yield time time_t timegm timelocal timer_create timer_delete
timer_getoverrun timer_gettime timer_settime timer_t timespec_get timespec_getres timezone tmpfile tmpfile64 tmpnam
tmpnam_r toascii toascii_l tolower tolower_l totalorder totalorderf totalorderf128 totalorderf32 totalorderf32x
totalorderf64 totalorderf64x totalorderl totalordermag totalordermagf totalordermagf128 totalordermagf32
totalordermagf32x totalordermagf64 totalordermagf64x totalordermagl toupper toupper_l towctrans towctrans_l towlower
towlower_l towupper towupper_l trunc truncate truncate64 truncf truncf128 truncf32 truncf32x truncf64 truncf64x truncl
tss_create tss_delete tss_dtor_t tss_get tss_set tss_t ttyname ttyname_r ttyslot tzname tzset u_char u_int u_int16_t
u_int32_t u_int64_t u_int8_t u_long u_quad_t u_short ualarm ucontext_t ufromfp ufromfpf ufromfpf128 ufromfpf32
ufromfpf32x ufromfpf64 ufromfpf64x ufromfpl ufromfpx ufromfpxf ufromfpxf128 ufromfpxf32 ufromfpxf32x ufromfpxf64
ufromfpxf64x ufromfpxl uid_t uint uint16_t uint32_t uint64_t uint8_t uint_fast16_t uint_fast32_t uint_fast64_t
uint_fast8_t uint_least16_t uint_least32_t uint_least64_t uint_least8_t uintmax_t uintptr_t ulong ungetc ungetwc unlink
unlinkat unlockpt unsetenv useconds_t uselocale ushort usleep va_arg va_copy va_end va_list va_start valloc vasprintf
vdprintf vfork vfprintf vfscanf vfwprintf vfwscanf vhangup vprintf vscanf vsnprintf vsprintf vsscanf vswprintf vswscanf
vwprintf vwscanf wcpcpy wcpncpy wcrtomb wcscasecmp wcscasecmp_l wcscat wcschr wcschrnul wcscmp wcscoll wcscoll_l wcscpy
wcscspn wcsdup wcsftime wcsftime_l wcslcat wcslcpy wcslen wcsncasecmp wcsncasecmp_l wcsncat wcsncmp wcsncpy wcsnlen
wcsnrtombs wcspbrk wcsrchr wcsrtombs wcsspn wcsstr wcstod wcstod_l wcstof wcstof128 wcstof128_l wcstof32 wcstof32_l
wcstof32x wcstof32x_l wcstof64 wcstof64_l wcstof64x wcstof64x_l wcstof_l wcstoimax wcstok wcstol wcstol_l wcstold
wcstold_l wcstoll wcstoll_l wcstombs wcstoq wcstoul wcstoul_l wcstoull wcstoull_l wcstoumax wcstouq wcswidth wcsxfrm
wcsxfrm_l wctob wctomb wctrans wctrans_l wctrans_t wctype wctype_l wctype_t wcwidth wint_t wmemchr wmemcmp wmemcpy
wmemmove wmempcpy wmemset wprintf write wscanf y0 y0f y0f128 y0f32 y0f32x y0f64 y0f64x y0l y1 y1f y1f128 y1f32 y1f32x
y1f64 y1f64x y1l yn ynf ynf128 ynf32 ynf32x ynf64 ynf64x ynl
"""
"""What the standard headers and unistd.h declare."""
