import { execFile } from 'node:child_process'
import { chmod, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { Skipped } from './scenario.ts'

// Makes each synchronous write a millisecond slower, to imitate a cloud disk on a machine with a faster one.
const SOURCE = `#define _GNU_SOURCE
#include <dlfcn.h>
#include <time.h>
static void wait_a_while(void) { struct timespec t = {0, 1000000}; nanosleep(&t, 0); }
int fdatasync(int file) {
  static int (*real)(int);
  if (!real) real = dlsym(RTLD_NEXT, "fdatasync");
  wait_a_while();
  return real(file);
}
int fsync(int file) {
  static int (*real)(int);
  if (!real) real = dlsym(RTLD_NEXT, "fsync");
  wait_a_while();
  return real(file);
}
`

/**
 * Compiles a library that makes each synchronous write of a process that loads it a millisecond slower.
 * @throws Skipped when this is not Linux, or there is no C compiler
 */
export async function slowSyncLibrary(folder: string): Promise<string> {
  if (process.platform !== 'linux') throw new Skipped('a slow disk can be made on Linux only')
  const source = join(folder, 'slow-sync.c')
  const library = join(folder, 'slow-sync.so')
  await writeFile(source, SOURCE)
  try {
    await promisify(execFile)('gcc', ['-shared', '-fPIC', '-O2', '-o', library, source, '-ldl'])
  } catch {
    throw new Skipped('there is no gcc to make a slow disk with')
  }
  await chmod(library, 0o755)
  return library
}
