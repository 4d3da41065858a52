#include <vector>

namespace app {

// Keeps pages.
template <typename T>
class Store : public Base<T>, private api::Sized {
//    ^ bases: Base, api.Sized
 public:
  static const int kLimit = 10, kOther = 5;
//                 ^ types: kLimit: int annotation
//                 ^ marks: static

  // Loads one page.
  [[nodiscard]] virtual std::unique_ptr<Page> Load(const std::string& url, int tries = 3, Page* rest = nullptr) override {
//                                            ^ params: url: const std::string& | tries: int = 3 | rest: Page* = nullptr
//                                            ^ returns: std::unique_ptr<Page>
//                                            ^ marks: override, virtual
//                                            ^ decorators: [[nodiscard]]
//                                            ^ visibility: public
//                                            ^ doc: Loads one page.
//                                            ^ throws: GoneError
//                                            ^ calls: Client, client.get, third.get
//                                            ^ reads: client, e, i, list, p, parts, q, rest, std, third, total, tries, url
//                                            ^ writes: f, i, other, p, third, total
//                                            ^ mutations: p.seen, parts[], this.last
//                                            ^ aliases: other=client, this.last=url
//                                            ^ types: url: const std::string& annotation, tries: int annotation, rest: Page* annotation, client: Client annotation, third: Client annotation, total: int annotation, unset: int annotation, i: int annotation, p.seen: bool literal
//                                            ^ branches: 4
//                                            ^ loops: 4
//                                            ^ breaks: 2
//                                            ^ continues: 1
//                                            ^ returned: 1
//                                            ^ has names: Client, GoneError, client, url
    Client client;
    auto other = client;
    Client* third = new Client(url);
    int total = 0, unset;
    this->last = url;
    parts[0] = 'b';
    total += 1;
    for (int i = 0; i < tries; i++) {
      if (total > 2) break;
      else continue;
    }
    for (const auto& p : list) { p.seen = true; }
    while (total < 1) { third->get(); }
    do { } while (total < 1);
    switch (tries) { case 1: break; default: ; }
    try { client.get(); } catch (const std::exception& e) { throw GoneError(e); }
    auto f = [&](int q) -> int { return q; };
    return total > 1 ? nullptr : rest;
  }

  Task Wait(int n) {
//     ^ marks: async
//     ^ awaits: client.read
//     ^ returned: 1
    co_await client.read();
    co_return n;
  }

 protected:
  virtual void Close() = 0;
//             ^ marks: abstract, virtual
//             ^ returns: void
//             ^ visibility: protected
};

auto twice(int x) -> long { return x; }
//   ^ returns: long
//   ^ params: x: int

}  // namespace app
