#include "zoo/animal.hpp"

namespace zoo {

namespace {
int secret(int x) { return detail::clamp(x); }
//                                 ^ -> include/zoo/animal.hpp zoo::detail::clamp
}

int Animal::count = 0;

Animal::Animal(std::string name) : name_(std::move(name)) { ++count; }
//                                 ^ -> include/zoo/animal.hpp zoo::Animal::name_
//                                                            ^ -> include/zoo/animal.hpp zoo::Animal::count, zoo::Animal::count

Animal& Animal::feed(int grams) {
    weight_ += secret(grams);
//  ^ -> include/zoo/animal.hpp zoo::Animal::weight_
//             ^ -> secret
    this->weight_ = 0;
//        ^ -> include/zoo/animal.hpp zoo::Animal::weight_
    return *this;
}

std::string Dog::speak() const { return name() + "!"; }
//                                      ^ -> include/zoo/animal.hpp zoo::Animal::name

void Dog::wag() {
    feed(Large);
//  ^ -> include/zoo/animal.hpp zoo::Animal::feed, zoo::Animal::feed
//       ^ -> include/zoo/animal.hpp zoo::Size::Large
    friend_of->feed(2).feed(3);
//             ^ -> include/zoo/animal.hpp zoo::Animal::feed, zoo::Animal::feed
//                     ^ -> include/zoo/animal.hpp zoo::Animal::feed, zoo::Animal::feed
}

int weigh(const Animal& animal) { return animal.name().size(); }
//                                              ^ -> include/zoo/animal.hpp zoo::Animal::name
//                                                     ^ external

}  // namespace zoo
