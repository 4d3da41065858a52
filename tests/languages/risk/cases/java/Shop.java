package shop;

import java.io.File;
import java.io.ObjectInputStream;
import java.security.MessageDigest;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.Statement;
import javax.servlet.http.HttpServletRequest;
import javax.servlet.http.HttpServletResponse;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestParam;

class Shop {
  private Connection connection;

// == a parameter of the request in a query
  void find(HttpServletRequest request, Statement statement) throws Exception {
    String name = request.getParameter("name");
//                        ^ source req.query
    String query = "select * from users where name = '" + name + "'";
    statement.executeQuery(query);
//            ^ flow req.query->sql.query
  }

// == parameters of a statement are harmless
  void bound(HttpServletRequest request) throws Exception {
    PreparedStatement found = connection.prepareStatement("select * from users where name = ?");
//                                       ^ clean
    found.setString(1, request.getParameter("name"));
    found.executeQuery();
//        ^ clean
  }

// == parameters with an annotation are input
  @GetMapping("/run")
  void run(@RequestParam("line") String line) throws Exception {
    Runtime.getRuntime().exec(line);
//                       ^ flow req.params->exec
    new ProcessBuilder("sh", "-c", line).start();
//      ^ flow req.params->process
  }

// == numbers do no harm
  void numbered(HttpServletRequest request, Statement statement) throws Exception {
    int number = Integer.parseInt(request.getParameter("n"));
    statement.executeQuery("select * from t limit " + number);
//            ^ clean
  }

// == paths
  File file(HttpServletRequest request) {
    return new File("files", request.getParameter("name"));
//             ^ flow req.query->file.open
  }

// == given anew
  File again(HttpServletRequest request) {
    String name = request.getParameter("name");
    name = "index.html";
    return new File(name);
//             ^ clean
  }

// == one way only
  File oneWay(HttpServletRequest request, boolean flag) {
    String name = "a";
    if (flag) {
      name = request.getParameter("name");
    } else {
      name = "b";
    }
    return new File(name);
//             ^ flow req.query->file.open
  }

// == builders hold what was added
  void built(HttpServletRequest request, Statement statement) throws Exception {
    StringBuilder text = new StringBuilder("select ");
    text.append(request.getParameter("column"));
    statement.executeQuery(text.toString());
//            ^ flow req.query->sql.query
  }

// == items of a loop
  void looped(HttpServletRequest request) throws Exception {
    for (String name : request.getParameterValues("names")) {
      Runtime.getRuntime().exec(name);
//                         ^ flow req.query->exec
    }
  }

// == one call deep
  void remove(String name) throws Exception {
    Runtime.getRuntime().exec("rm " + name);
//                       ^ flow req.query->exec
  }

  void removing(HttpServletRequest request) throws Exception {
    remove(request.getParameter("name"));
    this.remove("x");
  }

// == fields of the object
  private String line;

  void kept(HttpServletRequest request) throws Exception {
    this.line = request.getParameter("line");
    Runtime.getRuntime().exec(this.line);
//                       ^ flow req.query->exec
  }

// == pages and places to go
  void page(HttpServletRequest request, HttpServletResponse response) throws Exception {
    response.getWriter().println("<b>" + request.getParameter("q"));
//                       ^ flow req.query->response.html
    response.sendRedirect(request.getParameter("next"));
//           ^ flow req.query->redirect
  }

// == places that are findings by themselves
  Object places(java.io.InputStream data) throws Exception {
    MessageDigest.getInstance("MD5");
//                ^ finding hash.weak
    MessageDigest.getInstance("SHA-256");
//                ^ none
    return new ObjectInputStream(data).readObject();
//             ^ finding deserialize
  }

// == conditions
  void conditions(HttpServletRequest request) throws Exception {
    String word = request.getParameter("a") == null ? "y" : "n";
    Runtime.getRuntime().exec("echo " + word);
//                       ^ clean
  }
}
