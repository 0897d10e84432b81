// Loaded into a server with --import: makes it fail from outside, as a bug of ours would.
const FAULTS = 3
const message = () => 'planted fault with password=hunter2-secret'
process.on('SIGUSR2', () => {
  for (let count = 0; count < FAULTS; count += 1) {
    if (process.env.PLANTED_FAULT === 'rejection') void Promise.reject(new Error(message()))
    else
      setImmediate(() => {
        throw new Error(message())
      })
  }
})
