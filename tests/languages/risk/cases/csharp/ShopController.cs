using System.Data.SqlClient;
using System.Diagnostics;
using System.IO;
using System.Security.Cryptography;
using Microsoft.AspNetCore.Mvc;

public class ShopController : Controller
{
// == a query value in a statement
    public void Find()
    {
        var name = Request.Query["name"];
//                         ^ source req.query
        var command = new SqlCommand("select * from users where name = '" + name + "'", connection);
//                        ^ flow req.query->sql.query
    }

// == parameters of a statement are harmless
    public void Bound()
    {
        var command = new SqlCommand("select * from users where name = @name", connection);
//                        ^ clean
        command.Parameters.AddWithValue("@name", Request.Query["name"]);
    }

// == parameters with an attribute are input
    public void Run([FromQuery] string line)
    {
        Process.Start("sh", line);
//              ^ flow req.params->process
    }

// == actions take input
    [HttpGet("read")]
    public string Read(string name)
    {
        return File.ReadAllText(name);
//                  ^ flow req.params->file.open
    }

// == numbers do no harm
    public void Numbered()
    {
        var number = int.Parse(Request.Query["n"]);
        var command = new SqlCommand($"select * from t where id = {number}", connection);
//                        ^ clean
    }

// == interpolation
    public void Interpolated()
    {
        var name = Request.Form["name"];
        context.Users.FromSqlRaw($"select * from users where name = '{name}'");
//                    ^ flow req.query->sql.raw
    }

// == given anew
    public void Again()
    {
        string name = Request.Query["name"];
        name = "x";
        File.ReadAllText(name);
//           ^ clean
    }

// == one way only
    public void OneWay(bool flag)
    {
        string name = "a";
        if (flag)
        {
            name = Request.Query["name"];
        }
        File.ReadAllText(name);
//           ^ flow req.query->file.open
    }

// == only the last part of a path
    public void Named()
    {
        File.ReadAllText(Path.GetFileName(Request.Query["name"]));
//           ^ clean
    }

// == items of a loop
    public void Looped()
    {
        foreach (var name in Request.Form["names"])
        {
            File.Delete(name);
//               ^ flow req.query->file.write
        }
    }

// == text that a command is given
    public void Text()
    {
        command.CommandText = "select " + Request.Query["column"];
//              ^ flow req.query->sql.query
    }

// == one call deep
    private void Remove(string name)
    {
        File.Delete(name);
//           ^ flow req.query->file.write
    }

    public void Removing()
    {
        Remove(Request.Query["name"]);
    }

// == pages and places to go
    public IActionResult Page()
    {
        return Redirect(Request.Query["next"]);
//             ^ flow req.query->redirect
    }

// == places that are findings by themselves
    public void Places()
    {
        MD5.Create();
//          ^ finding hash.weak
        SHA256.Create();
//             ^ none
    }

// == conditions
    public void Conditions()
    {
        var word = Request.Query["a"] == "x" ? "y" : "n";
        Process.Start("echo", word);
//              ^ clean
    }
}
