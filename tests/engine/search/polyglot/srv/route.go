package srv

import (
	"errors"
	"net/http"
)

// Route leads a parcel to its place.
type Route struct {
	Parcel string
	stops  int
}

func (r *Route) Advance(parcel string, limit int) (int, error) {
	for i := 0; i < limit; i++ {
		if i > r.stops {
			return i, errors.New("parcel lost")
		}
		switch parcel {
		case "big":
			continue
		}
	}
	r.stops = limit
	return limit, nil
}

func serveParcel(w http.ResponseWriter, r *http.Request) {
	w.Write([]byte("parcel"))
}
