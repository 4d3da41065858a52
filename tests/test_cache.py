"""The cache: its limits, the order in which it drops values, and values in use."""

from codecompass.cache import LRU


def test_the_least_recently_used_value_is_dropped_first() -> None:
    cache: LRU[str, int] = LRU(2)
    cache.put("a", 1)
    cache.put("b", 2)
    assert cache.get("a") == 1
    cache.put("c", 3)
    assert (cache.get("a"), cache.get("b"), cache.get("c")) == (1, None, 3)
    assert len(cache) == cache.used == 2


def test_sizes_add_up_to_at_most_the_capacity() -> None:
    cache: LRU[str, str] = LRU(10, 6)
    cache.put("a", "x", 6)
    cache.put("b", "y", 4)
    assert cache.used == 10 and len(cache) == 2
    cache.put("a", "z", 2)  # replaces the value and its size
    assert cache.get("a") == "z" and cache.used == 6
    cache.put("c", "too large", 7)
    assert cache.get("c") is None and cache.used == 6
    cache.put("d", "w", 5)
    assert cache.get("b") is None and cache.used == 7
    cache.remove("d")
    cache.remove("d")
    assert cache.used == 2
    cache.clear()
    assert cache.used == len(cache) == 0


def test_a_value_in_use_is_not_dropped() -> None:
    cache: LRU[str, int] = LRU(2)
    cache.put("old", 1)
    cache.put("used", 2)
    cache.put("new", 3, is_in_use=lambda value: value == 2)
    cache.put("newer", 4, is_in_use=lambda value: value == 2)
    assert cache.get("old") is None and cache.get("used") == 2 and cache.get("newer") is None
    assert cache.get("new") == 3


def test_nothing_is_cached_without_capacity() -> None:
    cache: LRU[str, int] = LRU(0)
    cache.put("a", 1)
    assert cache.get("a") is None
