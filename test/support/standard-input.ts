import { stdin } from 'node:process'
import { afterAll } from '@jest/globals'

// Commander imports the whole of node:process, which opens the standard input of a test worker. Nobody reads
// it; left open it would count as something that the suite forgot.
afterAll(() => {
  stdin.destroy()
})
