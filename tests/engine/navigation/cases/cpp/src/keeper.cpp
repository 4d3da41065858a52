#include "zoo/keeper.hpp"

using namespace zoo;

Keeper& Keeper::instance() {
    static Keeper one;
//         ^ -> include/zoo/keeper.hpp zoo::Keeper
    return one;
}

Cage* Keeper::open(int number) { return &cages_[number]; }
//                                       ^ -> include/zoo/keeper.hpp zoo::Keeper::cages_

void Keeper::round() {
    cages_[0].guest->speak();
//                   ^ -> include/zoo/animal.hpp zoo::Animal::speak
    spare_->at(1)->wag();
//          ^ -> include/zoo/keeper.hpp zoo::Cage::at
//                 ^ -> src/animal.cpp zoo::Dog::wag, include/zoo/animal.hpp zoo::Dog::wag
    auto* cage = open(2);
//               ^ -> Keeper::open, include/zoo/keeper.hpp zoo::Keeper::open
    for (auto& dog : cage->dogs) {
        dog.feed(steps_);
//          ^ -> src/animal.cpp zoo::Animal::feed, include/zoo/animal.hpp zoo::Animal::feed
//               ^ -> include/zoo/keeper.hpp zoo::Keeper::steps_
    }
    cage->guest.reset();
//              ^ unresolved
    (*cage)[1].wag();
//             ^ -> src/animal.cpp zoo::Dog::wag, include/zoo/animal.hpp zoo::Dog::wag
}
