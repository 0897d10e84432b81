const PATIENCE_MS = 5000

/**
 * Sets the exit code of a command that has done its work and said so. What keeps the process for longer than
 * 5 s after that is a leak: it is named, and does not hold up a pipeline.
 */
export function endWith(code: number): void {
  process.exitCode = code
  const held = () => {
    console.error(`held up by what was left open: ${process.getActiveResourcesInfo().join(', ')}`)
    process.exit()
  }
  setTimeout(held, PATIENCE_MS).unref()
}
