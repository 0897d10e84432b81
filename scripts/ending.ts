const PATIENCE_MS = 5000

/**
 * Sets the exit code of a command that has finished. If the process still runs 5 s later, something leaked:
 * prints the resources that keep it open, and exits, so that no pipeline waits for it.
 */
export function endWith(code: number): void {
  process.exitCode = code
  const held = () => {
    console.error(`held up by what was left open: ${process.getActiveResourcesInfo().join(', ')}`)
    process.exit()
  }
  setTimeout(held, PATIENCE_MS).unref()
}
