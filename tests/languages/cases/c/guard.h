// == include guard and linkage block
#ifndef HARD_H
//      ^ ref read
#define HARD_H
//      ^ def const vis=public sig="#define HARD_H"
#ifdef __cplusplus
//     ^ ref read
extern "C" {
#endif
void exported(void);
//   ^ def fn vis=public sig="void exported(void)"
extern int exported_level;
//         ^ def var vis=public sig="extern int exported_level"
#ifdef __cplusplus
//     ^ ref read
}
#endif
#endif
