import { Body, Controller, Get, Param, Query } from "@nestjs/common";
import { exec } from "node:child_process";
import * as fs from "fs";
import { DataSource } from "typeorm";

@Controller("files")
export class FilesController {
  constructor(private readonly source: DataSource) {}

// == parameters with a decorator are input
  @Get(":name")
  read(@Param("name") name: string, @Query("raw") raw?: string): Buffer {
    return fs.readFileSync(name);
//            ^ flow req.params->file.read
  }

// == raw queries
  @Get()
  async list(@Query("order") order: string): Promise<unknown> {
    const sql: string = `select * from files order by ${order as string}`;
    return this.source.query(sql);
//                     ^ flow req.params->sql.query
  }

// == a number
  @Get("page")
  page(@Query("page") page: string): unknown {
    return this.source.query("select * from files limit " + Number(page));
//                     ^ clean
  }

// == one call deep in the class
  run(line: string): void {
    exec(line);
//  ^ flow req.params->exec
  }

  go(@Body() body: { line: string }): void {
    this.run(body.line);
  }
}

// == a parameter that nothing says anything of
export function plain(line: string): void {
  exec(line);
  // <- finding exec
}
