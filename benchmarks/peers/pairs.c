/* libxsmm's products of bf16, whose sums are f32: times loops over a batch in native code. */
#include <libxsmm.h>
#include <stddef.h>
#include <time.h>

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* C[i] = A[i] B[i] for column-major dense n x n matrices, A with the pairs of terms of each row side by side; the
   kernel or NULL. */
void *pairs_kernel(int n)
{
    const float alpha = 1, beta = 0;
    const int flags = LIBXSMM_GEMM_FLAG_VNNI_A, prefetch = LIBXSMM_GEMM_PREFETCH_NONE;
    return (void *)libxsmm_bsmmdispatch(n, n, n, NULL, NULL, NULL, &alpha, &beta, &flags, &prefetch);
}

/* The number by which libxsmm knows the processor's instructions. */
int pairs_target(void)
{
    libxsmm_init();
    return libxsmm_get_target_archid();
}

/* Pairs of columns of a column-major matrix, element by element. */
void pairs_pack(int n, const unsigned short *restrict from, unsigned short *restrict to)
{
    for (int k = 0; k < n; k += 2)
        for (int i = 0; i < n; ++i) {
            to[k * n + 2 * i] = from[k * n + i];
            to[k * n + 2 * i + 1] = from[(k + 1) * n + i];
        }
}

/* Seconds for `repeats` passes over a batch; each A is packed into `packed` first, if that is not NULL. */
double pairs_time(void *kernel, int n, long batch, const unsigned short *a, const unsigned short *b, float *c,
                  unsigned short *packed, int repeats)
{
    const libxsmm_bsmmfunction run = (libxsmm_bsmmfunction)kernel;
    const long size = (long)n * n;
    const double start = now();
    for (int r = 0; r < repeats; ++r)
        for (long i = 0; i < batch; ++i) {
            const unsigned short *left = a + i * size;
            if (packed) {
                pairs_pack(n, left, packed);
                left = packed;
            }
            run(left, b + i * size, c + i * size);
        }
    return now() - start;
}
