module Shop
  class Registry
    def self.instance
      Registry.new
    end

    def self.build
      Registry.new
#     ^ -> Registry
    end

    def add(store)
      entries << store
#     ^ -> Registry.entries
      store.open
#           ^ unresolved
    end

    def entries
      []
    end
  end
end
