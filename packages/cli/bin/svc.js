#!/usr/bin/env node
// Plain JavaScript, so that any Node can say what is missing before the program itself is read.
import { existsSync } from 'node:fs'
import module from 'node:module'
import { userInfo } from 'node:os'

// A package brings the bundle, which starts in half the time; a checkout has the build alone.
const program = ['../bundle/bin.js', '../dist/bin.js']
  .map((path) => new URL(path, import.meta.url))
  .find((url) => existsSync(url))
const [major, minor] = process.versions.node.split('.').map(Number)

if (major < 22 || (major === 22 && minor < 19)) {
  fail(`svc needs Node 22.19 or newer, this is ${process.version}: run it with npx, which brings Node 24`)
} else if (program) {
  keepCompiledCode()
  await import(program.href)
} else {
  fail('svc is not built yet: run npm run build, or npm run svc -- … to run the sources')
}

// In the home folder that the system knows, not in the common temporary one that Node would take: what lies
// there is run as code, and whoever comes first could put it there for another user. Where nothing can be
// written, nothing is kept.
function keepCompiledCode() {
  try {
    const { homedir } = userInfo()
    // Node asks for ever when it cannot make a folder for want of the one around it.
    if (existsSync(homedir)) module.enableCompileCache(`${homedir}/.cache/svc`)
  } catch {
    // A container may run under a number that no user has.
  }
}

function fail(sentence) {
  process.stderr.write(`svc: ${sentence}\n`)
  process.exitCode = 1
}
