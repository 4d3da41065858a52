<?php
// == a parameter in a shell
function ping() {
    $host = $_GET['host'];
//          ^ source req.query
    exec("ping $host");
//  ^ flow req.query->exec
    $out = `ping $host`;
//         ^ flow req.query->backtick
}

// == queries made of text
function find($db) {
    $name = $_POST['name'];
    $query = "select * from users where name = '" . $name . "'";
    mysqli_query($db, $query);
//  ^ flow req.query->sql.query
    $db->query("select * from users where name = '{$name}'");
//       ^ flow req.query->sql.query
}

// == sanitizers
function cleaned($db) {
    $id = intval($_GET['id']);
    mysqli_query($db, "select * from t where id = $id");
//  ^ clean
    $name = mysqli_real_escape_string($db, $_GET['name']);
    mysqli_query($db, "select * from t where name = '$name'");
//  ^ clean
    $number = (int) $_GET['n'];
    exec("kill $number");
//  ^ clean
}

// == pages
function page() {
    echo "<b>" . $_GET['q'] . "</b>";
//  ^ flow req.query->echo
    echo htmlspecialchars($_GET['q']);
//  ^ clean
}

// == files and inclusion
function file_of() {
    include "pages/" . $_GET['page'];
//  ^ flow req.query->include
    readfile($_GET['file']);
//  ^ flow req.query->file.open
    readfile(basename($_GET['file']));
//  ^ clean
}

// == given anew
function again() {
    $name = $_GET['name'];
    $name = "x";
    readfile($name);
//  ^ clean
}

// == one way only
function one_way($flag) {
    $name = "a";
    if ($flag) {
        $name = $_GET['name'];
    }
    readfile($name);
//  ^ flow req.query->file.open
}

// == both ways
function both_ways($flag) {
    $name = $_GET['name'];
    if ($flag) {
        $name = "a";
    } else {
        $name = "b";
    }
    readfile($name);
//  ^ clean
}

// == fields of the object
class Job {
    function start() {
        $this->line = $_GET['line'];
        system($this->line);
//      ^ flow req.query->exec
    }
}

// == items of a loop, and adding
function looped() {
    foreach ($_POST['names'] as $name) {
        unlink($name);
//      ^ flow req.query->file.write
    }
    $text = "a";
    $text .= $_GET['b'];
    eval($text);
//  ^ flow req.query->eval
}

// == one call deep
function remove($name) {
    exec("rm " . $name);
//  ^ flow req.query->exec
}

function removing() {
    remove($_GET['name']);
}

// == places to go, objects from text
function going() {
    header("Location: " . $_GET['next']);
//  ^ flow req.query->redirect
    return unserialize($_COOKIE['state']);
//         ^ flow req.query->deserialize
}

// == places that are findings by themselves
function places($data) {
    md5($data);
//  ^ finding hash.weak
    hash('sha256', $data);
//  ^ none
}

// == conditions
function conditions() {
    $word = $_GET['a'] == 'x' ? 'y' : 'n';
    exec("echo $word");
//  ^ clean
}

// == outside all functions
$top = $_GET['top'];
exec($top);
// <- flow req.query->exec
