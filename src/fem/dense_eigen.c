// Householder reflections make the matrix tridiagonal, QL rotations with the Wilkinson shift make it diagonal (Golub
// and Van Loan, "Matrix Computations", 8.3).
#include "fem/dense_eigen.h"

#include <math.h>
#include <stddef.h>

#define MAX_TURNS 60 // sweeps per eigenvalue; two or three are usual

static double dot(const double* a, const double* b, uint32_t n)
{
    double sum = 0.0;
    for (uint32_t i = 0; i < n; ++i)
    {
        sum += a[i] * b[i];
    }
    return sum;
}

// a += s b
static void add(double* restrict a, double s, const double* restrict b, uint32_t n)
{
    for (uint32_t i = 0; i < n; ++i)
    {
        a[i] += s * b[i];
    }
}

// Turn v into the unit normal of the reflection that maps it to the first axis; returns the image of v. If v is zero,
// there is no reflection.
static double mirror_of(double* v, uint32_t n)
{
    const double length = sqrt(dot(v, v, n));
    const double onto = v[0] > 0.0 ? -length : length;
    v[0] -= onto;
    const double rest = sqrt(dot(v, v, n));
    for (uint32_t i = 0; i < n; ++i)
    {
        v[i] = rest > 0.0 ? v[i] / rest : 0.0;
    }
    return onto;
}

// A -> H A H below and right of the column that v reflects, with H = 1 - 2 v v^T: A - v w^T - w v^T, w = 2 (A v - (v
// A v) v).
static void reflect(double* a, uint32_t n, uint32_t first, const double* v, double* w)
{
    const uint32_t count = n - first;
    for (uint32_t j = 0; j < count; ++j)
    {
        w[j] = 2.0 * dot(a + (size_t)(first + j) * n + first, v, count);
    }
    add(w, -dot(v, w, count), v, count);
    for (uint32_t j = 0; j < count; ++j)
    {
        double* column = a + (size_t)(first + j) * n + first;
        add(column, -v[j], w, count);
        add(column, -w[j], v, count);
    }
}

// The vectors are columns of Q with A = Q T Q^T; reflections are applied from the right.
static void tridiagonalise(double* a, uint32_t n, double* diagonal, double* beside, double* q)
{
    for (size_t i = 0; i < (size_t)n * n; ++i)
    {
        q[i] = i % ((size_t)n + 1) == 0 ? 1.0 : 0.0;
    }
    for (uint32_t k = 0; k + 2 < n; ++k)
    {
        double* v = a + (size_t)k * n + k + 1;
        const uint32_t count = n - k - 1;
        const double onto = mirror_of(v, count);
        reflect(a, n, k + 1, v, diagonal); // used as scratch; the diagonal is filled later
        for (uint32_t row = 0; row < n; ++row)
        {
            double sum = 0.0;
            for (uint32_t j = 0; j < count; ++j)
            {
                sum += q[(size_t)(k + 1 + j) * n + row] * v[j];
            }
            for (uint32_t j = 0; j < count; ++j)
            {
                q[(size_t)(k + 1 + j) * n + row] -= 2.0 * sum * v[j];
            }
        }
        beside[k] = onto;
    }
    if (n > 1)
    {
        beside[n - 2] = a[(size_t)(n - 2) * n + n - 1];
    }
    beside[n - 1] = 0.0;
    for (uint32_t i = 0; i < n; ++i)
    {
        diagonal[i] = a[(size_t)i * n + i];
    }
}

static void turn_columns(double* restrict a, double* restrict b, double c, double s, uint32_t n)
{
    for (uint32_t i = 0; i < n; ++i)
    {
        const double f = b[i];
        b[i] = s * a[i] + c * f;
        a[i] = c * a[i] - s * f;
    }
}

// One QL sweep on rows low to high.
static void sweep(double* d, double* e, uint32_t low, uint32_t high, double* q, uint32_t n)
{
    double g = (d[low + 1] - d[low]) / (2.0 * e[low]);
    double r = sqrt(g * g + 1.0);
    g = d[high] - d[low] + e[low] / (g + (g < 0.0 ? -r : r));
    double s = 1.0, c = 1.0, p = 0.0;
    for (uint32_t i = high; i-- > low;)
    {
        double f = s * e[i];
        const double b = c * e[i];
        r = sqrt(f * f + g * g);
        e[i + 1] = r;
        if (r == 0.0)
        {
            d[i + 1] -= p;
            e[high] = 0.0;
            return;
        }
        s = f / r;
        c = g / r;
        g = d[i + 1] - p;
        r = (d[i] - g) * s + 2.0 * c * b;
        p = s * r;
        d[i + 1] = g + p;
        g = c * r - b;
        turn_columns(q + (size_t)i * n, q + (size_t)(i + 1) * n, c, s, n);
    }
    d[low] -= p;
    e[low] = g;
    e[high] = 0.0;
}

static bool diagonalise(double* d, double* e, uint32_t n, double* q)
{
    for (uint32_t low = 0; low < n; ++low)
    {
        for (uint32_t turn = 0;; ++turn)
        {
            uint32_t high = low;
            while (high + 1 < n)
            {
                const double size = fabs(d[high]) + fabs(d[high + 1]);
                if (fabs(e[high]) + size == size)
                {
                    break;
                }
                high += 1;
            }
            if (high == low)
            {
                break;
            }
            if (turn == MAX_TURNS)
            {
                return false;
            }
            sweep(d, e, low, high, q, n);
        }
    }
    return true;
}

static void sort_pairs(double* values, double* vectors, uint32_t n)
{
    for (uint32_t i = 0; i + 1 < n; ++i)
    {
        uint32_t least = i;
        for (uint32_t j = i + 1; j < n; ++j)
        {
            least = values[j] < values[least] ? j : least;
        }
        if (least == i)
        {
            continue;
        }
        const double value = values[i];
        values[i] = values[least];
        values[least] = value;
        for (uint32_t k = 0; k < n; ++k)
        {
            const double x = vectors[(size_t)i * n + k];
            vectors[(size_t)i * n + k] = vectors[(size_t)least * n + k];
            vectors[(size_t)least * n + k] = x;
        }
    }
}

bool rbl_dense_eigen(double* a, uint32_t n, double* values, double* vectors, double* scratch)
{
    tridiagonalise(a, n, values, scratch, vectors);
    if (!diagonalise(values, scratch, n, vectors))
    {
        return false;
    }
    sort_pairs(values, vectors, n);
    return true;
}
