require "json"

module App
  # Keeps pages.
  class Store < Base
#       ^ bases: Api.Sized, Base, Enumerable
#       ^ doc: Keeps pages.
    include Enumerable
    extend Api::Sized

    LIMIT = 10
#   ^ types: LIMIT: Integer literal

    # Loads one page.
    def load(url, tries = 3, *rest, fresh: false, key:, **opts, &block)
#       ^ params: url | tries = 3 | rest | fresh = false | key | opts | block
#       ^ marks: yields
#       ^ visibility: public
#       ^ doc: Loads one page.
#       ^ throws: GoneError
#       ^ calls: Client, Client.new, JSON.parse, Shape.find, loop, rest.each
#       ^ reads: @cache, client, fresh, i, other, q, rest, total, tries, url, x
#       ^ writes: a, b, client, e, f, i, other, shape, total
#       ^ mutations: @cache[], @hits, @last, self.name
#       ^ aliases: @last=url, other=client
#       ^ types: tries: Integer literal, fresh: FalseClass literal, client: Client constructor, total: Integer literal, a: Integer literal, b: String literal, f: Proc literal
#       ^ branches: 6
#       ^ loops: 3
#       ^ breaks: 2
#       ^ continues: 1
#       ^ returned: 1
#       ^ has names: Client, GoneError, JSON, client, parse, url
      client = Client.new(url)
      other = client
      total = 0
      @last = url
      @cache[url] = other
      self.name = url
      @hits += 1
      a, b = 1, "x"
      shape = Shape.find(1)
      for i in 0..tries do
        next if i > 2
        break unless fresh
      end
      while total < 1 do total += 1 end
      until total > 5
        total += 1
      end
      loop { break }
      rest.each do |x|
        return x
      end
      case tries
      when 1 then 2
      when 2 then 3
      else 4
      end
      begin
        JSON.parse(url)
      rescue IOError, OSError => e
        raise GoneError, "x"
      end
      f = ->(q) { q }
      yield total
      return total > 1 ? nil : rest[0]
    end

    def self.make
#            ^ marks: static
#            ^ visibility: public
    end

    private

    def hidden
#       ^ visibility: private
    end
  end
end
