#pragma once
#include "zoo/animal.hpp"
#include <memory>

namespace zoo {

using AnimalPtr = std::shared_ptr<Animal>;
//                                ^ -> include/zoo/animal.hpp zoo::Animal

struct Cage {
    AnimalPtr guest;
    std::vector<Dog> dogs;
    Dog* at(int index);
    Dog& operator[](int index);
};

class Keeper {
public:
    static Keeper& instance();
    Cage* open(int number);
    void round();

private:
    Cage cages_[4];
    std::unique_ptr<Cage> spare_;
    int steps_ = 0;
};

}  // namespace zoo

#define ZOO_EACH(keeper, number) for (auto* cage = (keeper).open(number); cage; cage = nullptr)
