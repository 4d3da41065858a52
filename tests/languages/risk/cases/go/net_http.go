package shop

import (
	"crypto/md5"
	"crypto/tls"
	"database/sql"
	"fmt"
	"html/template"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
)

var db *sql.DB

// == a form value and a shell
func ping(w http.ResponseWriter, r *http.Request) {
	host := r.FormValue("host")
//         ^ source req.query
	exec.Command("sh", "-c", "ping "+host).Run()
//    ^ flow req.query->exec
}

// == a query made of text
func find(w http.ResponseWriter, r *http.Request) {
	name := r.URL.Query().Get("name")
	query := fmt.Sprintf("select * from users where name = '%s'", name)
	rows, err := db.Query(query)
//               ^ flow req.query->sql.query
	if err != nil {
		return
	}
	defer rows.Close()
}

// == parameters of a statement are harmless
func bound(w http.ResponseWriter, r *http.Request) {
	db.Query("select * from users where name = ?", r.FormValue("name"))
//  ^ clean
}

// == numbers do no harm
func numbered(w http.ResponseWriter, r *http.Request) {
	number, _ := strconv.Atoi(r.FormValue("n"))
	db.Query("select * from t limit " + fmt.Sprint(number))
//  ^ clean
}

// == paths
func file(w http.ResponseWriter, r *http.Request) {
	name := r.FormValue("name")
	os.ReadFile("files/" + name)
//  ^ flow req.query->file.read
	os.ReadFile("files/" + filepath.Base(name))
//  ^ clean
}

// == given anew
func again(w http.ResponseWriter, r *http.Request) {
	name := r.FormValue("name")
	name = "index.html"
	os.ReadFile(name)
//  ^ clean
}

// == one way only
func oneWay(r *http.Request, flag bool) {
	name := "a"
	if flag {
		name = r.FormValue("name")
	}
	os.ReadFile(name)
//  ^ flow req.query->file.read
}

// == items of a loop
func looped(r *http.Request) {
	for _, name := range r.Form["names"] {
		os.Remove(name)
//   ^ flow req.body->file.write
	}
}

// == one call deep
func remove(name string) {
	os.Remove(name)
//  ^ flow req.query->file.write
}

func removing(r *http.Request) {
	remove(r.FormValue("name"))
}

// == what a function gives
func asked(r *http.Request) string {
	return r.FormValue("q")
}

func asking(r *http.Request) {
	exec.Command(asked(r)).Run()
//    ^ flow req.query->exec
}

// == pages and places to go
func page(w http.ResponseWriter, r *http.Request) {
	fmt.Fprintf(w, "<b>%s</b>", r.FormValue("q"))
//   ^ flow req.query->response.html
	fmt.Fprintf(w, "<b>%s</b>", template.HTMLEscapeString(r.FormValue("q")))
//   ^ clean
	http.Redirect(w, r, r.FormValue("next"), 302)
//    ^ flow req.query->redirect
	http.Get(r.FormValue("url"))
//    ^ flow req.query->http.request
}

// == places that are findings by themselves
func places(data []byte) *tls.Config {
	md5.Sum(data)
//   ^ finding hash.weak
	return &tls.Config{InsecureSkipVerify: true}
//                  ^ finding tls.verify
}

// == comparisons
func compared(r *http.Request) {
	flag := r.FormValue("a") == "x"
	exec.Command("echo", fmt.Sprint(flag)).Run()
//    ^ clean
}
