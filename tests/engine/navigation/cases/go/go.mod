module example.org/shop

go 1.22

replace example.org/tools => ./tools
