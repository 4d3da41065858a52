using System;
using Wire = Acme.Net.Wire;

namespace App
{
    /// <summary>Keeps pages.</summary>
    [Entity]
    public abstract class Store<T> : Base<T>, ICloseable, Api.ISized
//                        ^ bases: Api.ISized, Base, ICloseable
//                        ^ decorators: [Entity]
//                        ^ marks: abstract
    {
        private static readonly int Limit = 10, Other = 5;
//                                  ^ types: Limit: int annotation
//                                  ^ marks: readonly, static
//                                  ^ visibility: private

        public string Name { get; set; } = "x";
//                    ^ types: Name: string annotation

        /// <summary>Loads one page.</summary>
        [Get("/x")]
        protected async Task<Page> Load(string url, int tries = 3, params Page[] rest)
//                                 ^ params: url: string | tries: int = 3 | rest: Page[]
//                                 ^ returns: Task<Page>
//                                 ^ marks: async
//                                 ^ decorators: [Get("/x")]
//                                 ^ visibility: protected
//                                 ^ doc: Loads one page.
//                                 ^ throws: GoneException
//                                 ^ awaits: client.GetAsync
//                                 ^ calls: Client, Wire.Open, client.GetAsync, list.Select
//                                 ^ imports: Acme.Net.Wire
//                                 ^ reads: client, e, list, p, parts, rest, total, tries, url, x
//                                 ^ writes: body, client, f, i, k, name, other, p, q, total
//                                 ^ mutations: p.Seen, parts[], this.last
//                                 ^ aliases: other=client, this.last=url
//                                 ^ types: url: string annotation, tries: int annotation, rest: Page[] annotation, client: Client annotation, total: int annotation, unset: int annotation, i: int annotation, p: Page annotation, e: IOException annotation, f: Func<int, int> annotation, p.Seen: bool literal, name: string literal
//                                 ^ branches: 5
//                                 ^ loops: 4
//                                 ^ breaks: 2
//                                 ^ continues: 1
//                                 ^ returned: 1
//                                 ^ has names: Client, GoneException, Page, client, url
        {
            Client client = new Client(url);
            var other = client;
            int total = 0, unset;
            this.last = url;
            parts[0] = "b";
            total += 1;
            for (int i = 0; total < tries; i++)
            {
                if (total > 2) break;
                else continue;
            }
            foreach (Page p in rest) { p.Seen = true; }
            while (total < 1) { total++; }
            do { } while (total < 1);
            switch (tries) { case 1: break; }
            var k = tries switch { 1 => 2, _ => 3 };
            try { await client.GetAsync(url); } catch (IOException e) { throw new GoneException(e); }
            Func<int, int> f = x => x + 1;
            var q = list.Select(x => { return x; });
            var body = Wire.Open();
            var name = "a";
            return total > 1 ? null : rest[0];
        }

        public IEnumerable<int> Numbers()
//                              ^ marks: generator
//                              ^ returns: IEnumerable<int>
        {
            yield return 1;
        }

        public static int Twice(int x) => x * 2;
//                        ^ returned: 1
//                        ^ marks: static
//                        ^ params: x: int
    }
}
