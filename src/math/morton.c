#include "math/morton.h"

#include "math/vec.h"

// Two zero bits after each of the 21 lowest bits.
static uint64_t spread21(uint64_t x)
{
    x &= 0x1FFFFFu;
    x = (x | x << 32) & 0x001F00000000FFFFu;
    x = (x | x << 16) & 0x001F0000FF0000FFu;
    x = (x | x << 8) & 0x100F00F00F00F00Fu;
    x = (x | x << 4) & 0x10C30C30C30C30C3u;
    return (x | x << 2) & 0x1249249249249249u;
}

uint64_t rbl_morton63(uint32_t x, uint32_t y, uint32_t z)
{
    return spread21(x) << 2 | spread21(y) << 1 | spread21(z);
}

// The index of the part that contains x, when low .. high is divided into `cells` equal parts. Halved, so that the
// widest boxes do not overflow.
static uint32_t cell_of(double x, double low, double high, double cells)
{
    const double t = (0.5 * x - 0.5 * low) / (0.5 * high - 0.5 * low) * cells;
    if (!(t > 0.0) || !rbl_finite(low) || !rbl_finite(high) || !(low < high))
    {
        return 0;
    }
    return (uint32_t)(t < cells ? t : cells - 1.0);
}

uint64_t rbl_morton63_of(rblVec3d point, rblAabbd box)
{
    const double cells = 2097152.0;
    return rbl_morton63(cell_of(point.x, box.lower.x, box.upper.x, cells),
                        cell_of(point.y, box.lower.y, box.upper.y, cells),
                        cell_of(point.z, box.lower.z, box.upper.z, cells));
}
