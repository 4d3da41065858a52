package clock

type Clock interface {
	Now() int64
}

type Fixed int64

func (f Fixed) Now() int64 { return int64(f) }

func System() Clock { return Fixed(1) }
//            ^ -> Clock
//                           ^ -> Fixed
