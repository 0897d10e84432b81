#!/usr/bin/env node
// Plain JavaScript, so that any Node can say what is missing before the program itself is read.
import { existsSync } from 'node:fs'
import module from 'node:module'

const program = new URL('../dist/bin.js', import.meta.url)
const [major, minor] = process.versions.node.split('.').map(Number)

if (major < 22 || (major === 22 && minor < 19)) {
  fail(`svc needs Node 22.19 or newer, this is ${process.version}: run it with npx, which brings Node 24`)
} else if (existsSync(program)) {
  module.enableCompileCache()
  await import(program.href)
} else {
  fail('svc is not built yet: run npm run build, or npm run svc -- … to run the sources')
}

function fail(sentence) {
  process.stderr.write(`svc: ${sentence}\n`)
  process.exitCode = 1
}
