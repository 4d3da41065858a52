namespace Acme.Samples;

public class Program
{
    public static void Main() => Program.Main();
//                                       ^ -> Program.Main
}
