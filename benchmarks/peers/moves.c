/* What the sample kernel does, without the products: all of A_i is loaded, all of D_i loaded and stored again.

   The entries have the signature of compiled kernels, so that the same pool hands out the same work-groups. They differ
   in how far ahead matrices are prefetched, since which distance is best depends on the machine; TABLE and MATRICES are
   where A's pointers and D's address lie in the parameter block. */
#include <stddef.h>

#ifdef __AVX512F__
enum { BYTES = 64 };
#else
enum { BYTES = 32 };
#endif
enum { LINE = 64, A_BYTES = 4 * 16 * 8, D_BYTES = 4 * 16 * 16 };

typedef float vector __attribute__((vector_size(BYTES), aligned(4)));

static inline __attribute__((always_inline)) void move(const char *slots, long begin, long end, const long ahead)
{
    const char *const *table = *(const char *const *const *)(slots + TABLE);
    char *matrices = *(char *const *)(slots + MATRICES);
    for (long i = begin; i < end; ++i) {
        const char *a = table[i];
        char *d = matrices + i * D_BYTES;
        if (ahead && i + ahead < end) {
            for (size_t at = 0; at < A_BYTES; at += LINE)
                __builtin_prefetch(table[i + ahead] + at, 0);
            for (size_t at = 0; at < D_BYTES; at += LINE)
                __builtin_prefetch(d + ahead * D_BYTES + at, 1);
        }
        for (size_t at = 0; at < A_BYTES; at += BYTES) {
            const vector found = *(const vector *)(a + at);
            __asm__ volatile("" : : "v"(found));
        }
        for (size_t at = 0; at < D_BYTES; at += BYTES) {
            vector found = *(const vector *)(d + at);
            __asm__ volatile("" : "+v"(found));
            *(vector *)(d + at) = found;
        }
    }
}

#define ENTRY(ahead)                                                                                                  \
    void move_##ahead(const void *slots, const long *grid, long begin, long end, void *scratch, void *team)           \
    {                                                                                                                 \
        (void)grid, (void)scratch, (void)team;                                                                        \
        move(slots, begin, end, ahead);                                                                               \
    }

ENTRY(0)
ENTRY(2)
ENTRY(8)
