#include "base/random.h"

rblRandom rbl_random_seed(uint64_t seed, uint64_t stream)
{
    rblRandom random = {.state = 0, .increment = (stream << 1) | 1u};
    rbl_random_u32(&random);
    random.state += seed;
    rbl_random_u32(&random);
    return random;
}

uint32_t rbl_random_u32(rblRandom* random)
{
    const uint64_t old = random->state;
    random->state = old * 6364136223846793005u + random->increment;
    const uint32_t xorshifted = (uint32_t)(((old >> 18) ^ old) >> 27);
    const uint32_t rotation = (uint32_t)(old >> 59);
    return (xorshifted >> rotation) | (xorshifted << ((32 - rotation) & 31));
}

uint64_t rbl_random_u64(rblRandom* random)
{
    const uint64_t high = rbl_random_u32(random);
    return high << 32 | rbl_random_u32(random);
}

uint32_t rbl_random_below(rblRandom* random, uint32_t bound)
{
    // Lemire 2019: the high word of the product is the result; the few low words that would bias it are rejected.
    uint64_t product = (uint64_t)rbl_random_u32(random) * bound;
    if ((uint32_t)product < bound)
    {
        const uint32_t threshold = (0u - bound) % bound;
        while ((uint32_t)product < threshold)
        {
            product = (uint64_t)rbl_random_u32(random) * bound;
        }
    }
    return (uint32_t)(product >> 32);
}

float rbl_random_float(rblRandom* random)
{
    return (float)(rbl_random_u32(random) >> 8) * 0x1p-24f;
}

double rbl_random_double(rblRandom* random)
{
    return (double)(rbl_random_u64(random) >> 11) * 0x1p-53;
}

double rbl_random_range(rblRandom* random, double low, double high)
{
    return low + (high - low) * rbl_random_double(random);
}
