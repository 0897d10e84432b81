#!/usr/bin/env node
// Plain JavaScript, so that any Node can print the missing requirement before it reads the program itself.
// An `import` of a module of Node reads all that it offers, and so loads more than this needs.
const [major, minor] = process.versions.node.split('.').map(Number)

if (major < 22 || (major === 22 && minor < 19)) {
  fail(`svc needs Node 22.19 or newer, this is ${process.version}: run it with npx, which brings Node 24`)
} else {
  const { existsSync } = process.getBuiltinModule('node:fs')
  // A package contains the bundle, which starts in half the time; a checkout has only the build.
  const program = ['../bundle/bin.js', '../dist/bin.js']
    .map((path) => new URL(path, import.meta.url))
    .find((url) => existsSync(url))
  if (program) {
    keepCompiledCode(existsSync)
    await import(program.href)
  } else {
    fail('svc is not built yet: run npm run build, or npm run svc -- … to run the sources')
  }
}

// Keeps compiled code in the home folder that the system knows, not in the shared temporary folder that Node
// would take: Node runs the kept code, and another user could put files there first. If the folder cannot be
// written, nothing is kept.
function keepCompiledCode(existsSync) {
  try {
    const { homedir } = process.getBuiltinModule('node:os').userInfo()
    const { enableCompileCache } = process.getBuiltinModule('node:module')
    // Node tries for ever to make a folder whose parent folder does not exist.
    if (existsSync(homedir)) enableCompileCache(`${homedir}/.cache/svc`)
  } catch {
    // A container may run under a user id that has no user.
  }
}

function fail(sentence) {
  process.stderr.write(`svc: ${sentence}\n`)
  process.exitCode = 1
}
