// Registries: things by their ids, and nothing held when the last is gone.
#include "testing.h"

#include "base/registry.h"
#include "failing_allocator.h"

static void ids_find_their_things_until_they_are_removed(void** state)
{
    (void)state;
    rblRegistry registry = RBL_REGISTRY_INIT;
    int things[100];
    uint32_t index1[100];
    uint32_t generation[100];
    assert_null(rbl_registry_find(&registry, 1, 1));
    for (int i = 0; i < 100; ++i)
    {
        assert_true(rbl_registry_add(&registry, &things[i], &index1[i], &generation[i]));
    }
    assert_int_equal(rbl_registry_alive(&registry), 100);
    for (int i = 0; i < 100; i += 2)
    {
        assert_ptr_equal(rbl_registry_remove(&registry, index1[i], generation[i]), &things[i]);
        assert_null(rbl_registry_remove(&registry, index1[i], generation[i]));
    }
    for (int i = 0; i < 100; ++i)
    {
        assert_ptr_equal(rbl_registry_find(&registry, index1[i], generation[i]),
                         i % 2 == 1 ? &things[i] : NULL);
    }
    // Another thing in the place of one that is gone does not answer to its id.
    uint32_t again = 0;
    uint32_t later = 0;
    assert_true(rbl_registry_add(&registry, &things[0], &again, &later));
    assert_int_equal(rbl_registry_alive(&registry), 51);
    for (int i = 0; i < 100; i += 2)
    {
        assert_null(rbl_registry_find(&registry, index1[i], generation[i]));
    }
    assert_ptr_equal(rbl_registry_remove(&registry, again, later), &things[0]);
    for (int i = 1; i < 100; i += 2)
    {
        assert_ptr_equal(rbl_registry_remove(&registry, index1[i], generation[i]), &things[i]);
    }
    assert_int_equal(rbl_registry_alive(&registry), 0);
    assert_null(registry.items.data);
}

static void without_memory_nothing_is_added_and_nothing_held(void** state)
{
    (void)state;
    bool added = false;
    for (size_t granted = 0; !added; ++granted)
    {
        FailingAllocator memory;
        failing_allocator_start(&memory, granted);
        check_ok(rbl_set_allocator(&memory.allocator));
        rblRegistry registry = RBL_REGISTRY_INIT;
        uint32_t index1 = 7;
        uint32_t generation = 7;
        int thing;
        added = rbl_registry_add(&registry, &thing, &index1, &generation);
        assert_true(added || (index1 == 7 && generation == 7));
        assert_ptr_equal(rbl_registry_remove(&registry, index1, generation), added ? &thing : NULL);
        assert_int_equal(memory.live, 0);
        check_ok(rbl_set_allocator(NULL));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ids_find_their_things_until_they_are_removed),
        cmocka_unit_test(without_memory_nothing_is_added_and_nothing_held),
    };
    return cmocka_run_group_tests_name("registry", tests, NULL, NULL);
}
