import type { Command } from 'commander'
import { examples, operating, type Run } from '../declare.ts'

const SCOPE = ['--license <id-or-key>', 'only images of this license'] as const

/** `svc images …` */
export function declareImages(program: Command, run: Run): void {
  const images = program.command('images')
  const list = operating(images, 'images.list')
    .option(...SCOPE)
    .option('--host <host>', 'only images of this host')
    .option('--app <app>', 'only images of this application')
    .option('--state <state>', 'available or pruned')
    .option('--limit <number>', 'how many, 100 when not given')
    .action(run(async () => (await import('./images-list.ts')).listImages))
  examples(list, 'svc images list --host web-1 --state available')
  const show = operating(images, 'images.show', '<image>')
    .option(...SCOPE)
    .action(run(async () => (await import('./images-list.ts')).showImage))
  examples(show, 'svc images show 4bba301e')
  const restore = operating(images, 'images.restore', '<image>')
    .option(...SCOPE)
    .option('--host <host>', 'restore it on this host of the license; its own when not given')
    .option('--target <folder>', 'where to put the files; must not exist, or be empty')
    .option('--drill', 'restore aside, compare, remove it again, and report whether it worked')
    .option('--data', 'put its volumes and databases in the place of the present ones, which are kept 7 days')
    .option('--undo', 'put back the volumes and databases from before; again takes that back')
    .option('--verify', 'read the restored files again, and compare them with the image')
    .option('-f, --follow', 'print the log of the job until it ends; exit code 0 when it succeeded, else 1')
    .action(run(async () => (await import('./images-change.ts')).restoreImage))
  examples(
    restore,
    'svc images restore 4bba301e --target /srv/restored',
    'svc images restore 4bba301e --host web-2',
    'svc images restore 4bba301e --data --follow',
    'svc images restore 4bba301e --drill --follow',
  )
  const forget = operating(images, 'images.forget', '<image>')
    .option(...SCOPE)
    .option('--force', 'also one that is still in its repository')
    .action(run(async () => (await import('./images-change.ts')).forgetImage))
  examples(forget, 'svc images forget 4bba301e')
}
