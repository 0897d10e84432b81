import { type ControlPlane, OPERATIONS } from '@svc/core'

/** Lets each run of an operation fail whose answer is not as the operation declares it. Returns the plane. */
export function withTrueAnswers(plane: ControlPlane): ControlPlane {
  const { operations } = plane
  const [run, runFor, runLicensed] = [operations.run, operations.runFor, operations.runLicensed].map((each) =>
    each.bind(operations),
  ) as [typeof operations.run, typeof operations.runFor, typeof operations.runLicensed]
  Object.assign(operations, {
    run: async (...args: Parameters<typeof run>) => trueAnswer(args[0], await run(...args)),
    runFor: async (...args: Parameters<typeof runFor>) => trueAnswer(args[1], await runFor(...args)),
    runLicensed: async (...args: Parameters<typeof runLicensed>) =>
      trueAnswer(args[1], await runLicensed(...args)),
  })
  return plane
}

/** Returns the answer. @throws Error unless it has the declared fields, as JSON, and no other */
export function trueAnswer<A>(name: string, answer: A): A {
  const declared = OPERATIONS.find((each) => each.name === name)?.answer
  const [failure] = declared?.validate(JSON.parse(JSON.stringify(answer))) ?? []
  const faults = failure?.failures().map(({ path, message }) => `${path.join('.')}: ${message}`) ?? []
  if (faults.length > 0) throw new Error(`${name} does not answer as it declares: ${faults.join(' · ')}`)
  return answer
}
