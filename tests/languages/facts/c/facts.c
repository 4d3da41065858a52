#include <stdio.h>
#include "net/client.h"

struct page {
    int limit, other;
/*      ^ types: limit: int annotation */
    char *name;
/*        ^ types: name: char annotation */
};

/* Loads one page. */
static inline struct page *load(const char *url, int tries, char *argv[], int (*call)(int)) {
/*                         ^ params: url: const char * | tries: int | argv: char *[] | call: int (*)(int) */
/*                         ^ returns: struct page* */
/*                         ^ marks: inline, static */
/*                         ^ doc: Loads one page. */
/*                         ^ visibility: private */
/*                         ^ calls: call, make_client, printf */
/*                         ^ reads: argv, client, client.parts, i, other, p, total, tries, url */
/*                         ^ writes: c, client, i, letter, other, p, text, total */
/*                         ^ mutations: *other, client.last, client.parts[] */
/*                         ^ aliases: client.last=url, other=client */
/*                         ^ types: url: const char * annotation, tries: int annotation, argv: char *[] annotation, call: int (*)(int) annotation, client: struct client annotation, other: struct client annotation, total: int annotation, unset: int annotation, p: char annotation, text: char annotation, letter: char annotation, c: struct page annotation, i: size_t annotation */
/*                         ^ branches: 4 */
/*                         ^ loops: 3 */
/*                         ^ breaks: 2 */
/*                         ^ continues: 1 */
/*                         ^ returned: 1 */
/*                         ^ has names: client, last, make_client, printf, url */
    struct client *client = make_client(url);
    struct client *other = client;
    int total = 0, unset;
    char *p = (char *)argv[0];
    char text[] = "a", letter = 'a';
    struct page c = {0};
    client->last = url;
    client->parts[0] = p;
    *other = 3;
    total += 1;
    for (size_t i = 0; i < tries; i++) {
        if (total > 2)
            break;
        else
            continue;
    }
    while (total < 1)
        total++;
    do {
        call(1);
    } while (total < 1);
    switch (tries) {
    case 1:
        break;
    case 2:
    default:
        printf("x");
    }
    return total > 1 ? 0 : argv;
}
