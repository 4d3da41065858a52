package billing

type Rate struct{ Percent int }

type Pricer interface {
	Price(of *Rate) Money
//         ^ -> Rate
}

type Money struct{ Cents int }

func Default() (rate *Rate, err error) { return &Rate{Percent: 3}, nil }
//                                                    ^ -> Rate.Percent

func Cheapest[T Pricer](all []T) T { return all[0] }
//              ^ -> Pricer
