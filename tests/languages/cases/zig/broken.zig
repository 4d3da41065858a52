// == a file that is not finished
pub fn write(text: []const u8) void {
//     ^ def fn vis=public end=+2
    print(text);
//  ^ ref call owner=write
}
pub fn close(
