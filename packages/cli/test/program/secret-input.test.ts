import { PassThrough, Readable } from 'node:stream'
import { describe, expect, it } from '@jest/globals'
import { nextLine } from '../../src/terminal/secret-input.ts'

describe('a line of standard input', () => {
  it('is read one after the other, however they arrive, and is empty when none is left', async () => {
    const input = new PassThrough()
    input.write('first\r\nsec')
    expect(await nextLine(input)).toBe('first')
    const second = nextLine(input)
    const [head, tail] = [Buffer.from('ond ü').subarray(0, 5), Buffer.from('ond ü').subarray(5)]
    input.write(head)
    input.write(Buffer.concat([tail, Buffer.from('\nthird')]))
    expect(await second).toBe('second ü')
    input.end()
    expect(await nextLine(input)).toBe('third')
    expect(await nextLine(input)).toBe('')
  })

  it('leaves the stream as it was: the next line may come later', async () => {
    const input = new PassThrough()
    input.write('first\n')
    expect(await nextLine(input)).toBe('first')
    expect(input.destroyed).toBe(false)
    const second = nextLine(input)
    input.end('second\n')
    expect(await second).toBe('second')
  })

  it('of a stream that never ends it is read so far and no further', async () => {
    let sent = 0
    const endless = new Readable({
      read() {
        sent += 1
        this.push('x'.repeat(1024))
      },
    })
    expect((await nextLine(endless)).length).toBeGreaterThan(1024)
    expect(sent).toBeLessThan(1000)
    endless.destroy()
  })
})
