#pragma once
#include <string>
#include <vector>

namespace zoo {

enum class Mood { Calm, Angry };
enum Size { Small, Large };

class Animal {
public:
    explicit Animal(std::string name);
//                       ^ external
    virtual ~Animal() = default;
    virtual std::string speak() const = 0;
    const std::string& name() const { return name_; }
//                                           ^ -> zoo::Animal::name_
    Animal& feed(int grams);
    static int count;
    Mood mood = Mood::Calm;
//              ^ -> zoo::Mood
//                    ^ -> zoo::Mood::Calm

protected:
    std::string name_;
    int weight_ = 0;
};

class Dog : public Animal {
//                 ^ -> zoo::Animal
public:
    using Animal::Animal;
    std::string speak() const override;
    void wag();
    Animal* friend_of = nullptr;
};

template <typename T>
T* find_first(const std::vector<T*>& all);

int weigh(const Animal& animal);

namespace detail {
inline int clamp(int x) { return x; }
}

}  // namespace zoo
