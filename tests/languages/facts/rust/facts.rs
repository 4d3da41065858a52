use std::fs;
use crate::net::Client;

/// Keeps pages.
#[derive(Debug, Clone)]
pub struct Store<T> {
//         ^ decorators: #[derive(Debug, Clone)]
//         ^ visibility: public
    limit: u32,
//  ^ types: limit: u32 annotation
}

impl<T: Clone> Sized for Store<T> {
//                       ^ bases: Sized
    /// Loads one page.
    #[inline]
    pub async fn load(&mut self, url: &str, mut tries: u32, (a, b): (i32, i32)) -> Result<Page, Error> {
//               ^ params: self | url: &str | tries: u32 | (a, b): (i32, i32)
//               ^ returns: Result<Page, Error>
//               ^ marks: async
//               ^ decorators: #[inline]
//               ^ visibility: public
//               ^ doc: Loads one page.
//               ^ throws: Error.Gone
//               ^ awaits: client.get
//               ^ calls: Client.new, Err, Point, client.get, fs.read, it.next, panic
//               ^ imports: crate::net, std
//               ^ reads: Error.Gone, Some, a, b, client, fs, i, it, opt, other, q, r, self.cache, total, tries, url
//               ^ writes: body, client, data, f, i, n, other, p, s, total
//               ^ mutations: *r, self.cache[], self.last
//               ^ aliases: other=client, self.last=url
//               ^ types: url: &str annotation, tries: u32 annotation, (a, b): (i32, i32) annotation, client: Client constructor, total: u32 annotation, p: Point constructor, s: &str literal, n: f64 literal
//               ^ branches: 7
//               ^ loops: 3
//               ^ breaks: 2
//               ^ continues: 1
//               ^ returned: 1
//               ^ has names: Client, Page, body, client, url
        let client = Client::new(url);
        let other = client;
        let mut total: u32 = 0;
        let p = Point { x: 1 };
        let s = "a";
        let n = 1.5;
        let f = |q: i32| -> i32 { return q + 1 };
        self.last = url;
        self.cache[0] = other;
        total += 1;
        *r = 3;
        for i in 0..tries {
            if i > 2 {
                break;
            } else if i == 1 {
                continue;
            }
        }
        while let Some(x) = it.next() {}
        loop {
            break;
        }
        match total {
            1 => 2,
            _ if a > b => 3,
            _ => panic!("x"),
        };
        if let Some(y) = opt {}
        let body = client.get(url).await?;
        let data = fs::read(url)?;
        if total > 1 {
            return Err(Error::Gone);
        }
    }

    unsafe fn raw(self) -> u32 {
//            ^ marks: unsafe
//            ^ params: self
//            ^ returned: 1
        self.limit
    }
}
