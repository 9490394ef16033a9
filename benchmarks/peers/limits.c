/* Parts of the work of C = A B on small matrices: what remains is what a kernel costs beyond them.

Multiplies: fused multiply-adds with whole vectors along columns of C, their operands in registers but for one broadcast
of each element of B, which is read from the first cache: no loads of A or C, no stores, no latencies. A kernel may do
with fewer where columns do not fill vectors.
Bytes: A and B (and C, if it is read) are loaded and C is stored, matrix by matrix, and nothing is computed. */
#include <stddef.h>
#include <time.h>

#ifdef __AVX512F__
enum { BYTES = 64, SUMS = 24 };
#else
enum { BYTES = 32, SUMS = 12 };
#endif

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

int vector_bytes(void)
{
    return BYTES;
}

typedef float f32;
typedef double f64;
typedef float vector_f32 __attribute__((vector_size(BYTES), aligned(4)));
typedef double vector_f64 __attribute__((vector_size(BYTES), aligned(8)));

/* `rows` vectors of a column times `steps` elements of B, which all lie in the first cache. */
#define MULTIPLY(T, TYPE)                                                                                             \
    static inline __attribute__((always_inline)) T multiply_##T(const T *b, long steps, const int rows)               \
    {                                                                                                                 \
        const int columns = SUMS / rows;                                                                              \
        TYPE sums[SUMS], factors[SUMS];                                                                               \
        for (int i = 0; i < SUMS; ++i) {                                                                              \
            sums[i] = (TYPE){0};                                                                                      \
            factors[i] = b[i] - (TYPE){0};                                                                            \
        }                                                                                                             \
        for (long s = 0; s < steps; s += columns) {                                                                   \
            const T *from = b + s % 64;                                                                               \
            _Pragma("GCC unroll 24") for (int j = 0; j < columns; ++j) {                                              \
                TYPE value = from[j] - (TYPE){0};                                                                     \
                if (rows > 1)                                                                                         \
                    __asm__("" : "+v"(value)); /* one load for all rows, not one each */                              \
                _Pragma("GCC unroll 8") for (int i = 0; i < rows; ++i)                                                \
                    sums[j * rows + i] += factors[i] * value;                                                         \
            }                                                                                                         \
        }                                                                                                             \
        TYPE total = sums[0];                                                                                         \
        for (int i = 1; i < columns * rows; ++i)                                                                      \
            total += sums[i];                                                                                         \
        return total[0];                                                                                              \
    }                                                                                                                 \
                                                                                                                      \
    double time_multiplies_##T(const T *b, long steps, int rows)                                                      \
    {                                                                                                                 \
        volatile T sink;                                                                                              \
        const double start = now();                                                                                   \
        switch (rows) {                                                                                               \
        case 1: sink = multiply_##T(b, steps, 1); break;                                                              \
        case 2: sink = multiply_##T(b, steps, 2); break;                                                              \
        case 3: sink = multiply_##T(b, steps, 3); break;                                                              \
        case 4: sink = multiply_##T(b, steps, 4); break;                                                              \
        case 5: sink = multiply_##T(b, steps, 5); break;                                                              \
        case 6: sink = multiply_##T(b, steps, 6); break;                                                              \
        case 7: sink = multiply_##T(b, steps, 7); break;                                                              \
        default: sink = multiply_##T(b, steps, 8); break;                                                             \
        }                                                                                                             \
        (void)sink;                                                                                                   \
        return now() - start;                                                                                         \
    }

MULTIPLY(f32, vector_f32)
MULTIPLY(f64, vector_f64)

static void load(const char *from, size_t bytes)
{
    for (size_t at = 0; at < bytes; at += BYTES) {
        const vector_f32 found = *(const vector_f32 *)(from + (at + BYTES <= bytes ? at : bytes - BYTES));
        __asm__ volatile("" : : "v"(found));
    }
}

static void store(char *to, size_t bytes)
{
    const vector_f32 zero = {0};
    for (size_t at = 0; at < bytes; at += BYTES)
        *(vector_f32 *)(to + (at + BYTES <= bytes ? at : bytes - BYTES)) = zero;
}

/* Matrices of that many bytes each, of which C is read too if `read_c`; none is smaller than a vector. */
double time_bytes(const char *a, const char *b, char *c, const long *bytes, long batch, int read_c, int repeats)
{
    const double start = now();
    for (int r = 0; r < repeats; ++r)
        for (long i = 0; i < batch; ++i) {
            load(a + i * bytes[0], bytes[0]);
            load(b + i * bytes[1], bytes[1]);
            if (read_c)
                load(c + i * bytes[2], bytes[2]);
            store(c + i * bytes[2], bytes[2]);
        }
    return now() - start;
}
