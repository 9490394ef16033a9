/* Times loops over a batch in native code, so that no call from Python is part of what is measured. */
#include <libxsmm.h>
#include <stddef.h>
#include <time.h>

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* What libxsmm is asked for, and how a batch is run, as its manual says (libxsmm_mm.md, "Batched multiplication"):
   without a strategy a kernel takes a, b, c; with one also where the next matrices lie, which the last of a batch says
   of itself. */
#define XSMM(T, TYPE, letter)                                                                                         \
    /* C[i] = A[i] B[i] + beta C[i], column-major and dense; the kernel or NULL. */                                   \
    void *xsmm_##T(int m, int n, int k, TYPE beta, int prefetch)                                                      \
    {                                                                                                                 \
        const TYPE alpha = 1;                                                                                         \
        const int flags = LIBXSMM_GEMM_FLAG_NONE;                                                                     \
        return (void *)libxsmm_##letter##mmdispatch(m, n, k, &m, &k, &m, &alpha, &beta, &flags, &prefetch);           \
    }                                                                                                                 \
                                                                                                                      \
    /* Which strategy a kernel has: that of "auto" depends on the processor. */                                       \
    int xsmm_strategy_##T(void *kernel)                                                                               \
    {                                                                                                                 \
        libxsmm_xmmfunction found = {.letter##mm = (libxsmm_##letter##mmfunction)kernel};                             \
        libxsmm_mmkernel_info info;                                                                                   \
        return libxsmm_get_mmkernel_info(found, &info) ? -1 : (int)info.prefetch;                                     \
    }                                                                                                                 \
                                                                                                                      \
    double time_xsmm_##T(void *kernel, const TYPE *a, const TYPE *b, TYPE *c, int m, int n, int k, long batch,        \
                         int repeats)                                                                                 \
    {                                                                                                                 \
        const libxsmm_##letter##mmfunction run = (libxsmm_##letter##mmfunction)kernel;                                \
        const double start = now();                                                                                   \
        for (int r = 0; r < repeats; ++r)                                                                             \
            for (long i = 0; i < batch; ++i)                                                                          \
                run(a + i * m * k, b + i * k * n, c + i * m * n);                                                     \
        return now() - start;                                                                                         \
    }                                                                                                                 \
                                                                                                                      \
    double time_xsmm_next_##T(void *kernel, const TYPE *a, const TYPE *b, TYPE *c, int m, int n, int k, long batch,   \
                              int repeats)                                                                            \
    {                                                                                                                 \
        const libxsmm_##letter##mmfunction run = (libxsmm_##letter##mmfunction)kernel;                                \
        const long last = batch - 1;                                                                                  \
        const double start = now();                                                                                   \
        for (int r = 0; r < repeats; ++r) {                                                                           \
            for (long i = 0; i < last; ++i) {                                                                         \
                const TYPE *const pa = a + (i + 1) * m * k, *const pb = b + (i + 1) * k * n;                          \
                run(a + i * m * k, b + i * k * n, c + i * m * n, pa, pb, c + (i + 1) * m * n);                        \
            }                                                                                                         \
            const TYPE *const pa = a + last * m * k, *const pb = b + last * k * n;                                    \
            run(pa, pb, c + last * m * n, pa, pb, c + last * m * n);                                                  \
        }                                                                                                             \
        return now() - start;                                                                                         \
    }

XSMM(f32, float, s)
XSMM(f64, double, d)

typedef void entry(const void *slots, const long *grid, long begin, long end, void *scratch, void *team);

/* A tilewright kernel over all work-groups of a grid. */
double time_entry(entry *run, const void *slots, const long *grid, void *scratch, int repeats)
{
    const long groups = grid[0] * grid[1] * grid[2];
    const double start = now();
    for (int r = 0; r < repeats; ++r)
        run(slots, grid, 0, groups, scratch, NULL);
    return now() - start;
}
