import type { Command } from 'commander'
import { examples, type Run, reaching } from '../declare.ts'

/** `svc doctor` */
export function declareDoctor(program: Command, run: Run): void {
  const doctor = reaching(program.command('doctor'))
    .option('--local', 'look at this machine and its settings instead; needs no server')
    .action(run(async () => (await import('./doctor.ts')).doctor))
  examples(doctor, 'svc doctor', 'svc doctor --local', 'svc doctor --url https://svc.example.com --json')
}
