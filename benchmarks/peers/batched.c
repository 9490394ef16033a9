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

/* C[i] = A[i] B[i] + beta C[i], column-major and dense; returns the kernel or NULL. */
void *xsmm_f32(int m, int n, int k, float beta)
{
    const float alpha = 1;
    const int flags = LIBXSMM_GEMM_FLAG_NONE;
    return (void *)libxsmm_smmdispatch(m, n, k, &m, &k, &m, &alpha, &beta, &flags, NULL);
}

void *xsmm_f64(int m, int n, int k, double beta)
{
    const double alpha = 1;
    const int flags = LIBXSMM_GEMM_FLAG_NONE;
    return (void *)libxsmm_dmmdispatch(m, n, k, &m, &k, &m, &alpha, &beta, &flags, NULL);
}

double time_xsmm_f32(void *kernel, const float *a, const float *b, float *c, int m, int n, int k, long batch, int repeats)
{
    const libxsmm_smmfunction run = (libxsmm_smmfunction)kernel;
    const double start = now();
    for (int r = 0; r < repeats; ++r)
        for (long i = 0; i < batch; ++i)
            run(a + i * m * k, b + i * k * n, c + i * m * n);
    return now() - start;
}

double time_xsmm_f64(void *kernel, const double *a, const double *b, double *c, int m, int n, int k, long batch, int repeats)
{
    const libxsmm_dmmfunction run = (libxsmm_dmmfunction)kernel;
    const double start = now();
    for (int r = 0; r < repeats; ++r)
        for (long i = 0; i < batch; ++i)
            run(a + i * m * k, b + i * k * n, c + i * m * n);
    return now() - start;
}

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
