/* Memory streams of one thread, to know what the machine can do: reading, c := a b past the caches, y := s x + y. */
#include <immintrin.h>

float stream_read(const float *a, long n) {
    __m512 t[8];
    for (int k = 0; k < 8; k++) t[k] = _mm512_setzero_ps();
    for (long i = 0; i + 128 <= n; i += 128)
        for (int k = 0; k < 8; k++) t[k] = _mm512_add_ps(t[k], _mm512_loadu_ps(a + i + 16 * k));
    for (int k = 1; k < 8; k++) t[0] = _mm512_add_ps(t[0], t[k]);
    return _mm512_reduce_add_ps(t[0]);
}

/* c is aligned to 64 bytes. */
void stream_triad(const float *a, const float *b, float *c, long n) {
    for (long i = 0; i + 64 <= n; i += 64)
        for (int k = 0; k < 64; k += 16)
            _mm512_stream_ps(c + i + k, _mm512_mul_ps(_mm512_loadu_ps(a + i + k), _mm512_loadu_ps(b + i + k)));
    _mm_sfence();
}

void stream_update(const float *x, float *y, long n) {
    const __m512 s = _mm512_set1_ps(0.5f);
    for (long i = 0; i + 64 <= n; i += 64)
        for (int k = 0; k < 64; k += 16)
            _mm512_storeu_ps(y + i + k, _mm512_fmadd_ps(s, _mm512_loadu_ps(y + i + k), _mm512_loadu_ps(x + i + k)));
}
