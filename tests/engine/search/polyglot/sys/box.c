#include <stdio.h>
#include <string.h>

struct box {
    int parcels;
};

static int box_parcel(struct box *target, char *parcel) {
    int count = 0;
    while (*parcel) {
        parcel++;
        count++;
    }
    target->parcels = count;
    return count;
}
