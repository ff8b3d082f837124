/** state → event → state; a pair that is not there is not possible. */
export type TransitionTable<State extends string, Event extends string> = Readonly<
  Record<State, Readonly<Partial<Record<Event, State>>>>
>;

/** The state after an event, or undefined when the event is not possible in this state. */
export function transition<State extends string, Event extends string>(
  table: TransitionTable<State, Event>,
  state: State,
  event: Event,
): State | undefined {
  return table[state][event];
}

/** Every state in which an event is possible: what a conditional update's WHERE repeats. */
export function statesBefore<State extends string, Event extends string>(
  table: TransitionTable<State, Event>,
  event: Event,
): State[] {
  const states: State[] = [];
  for (const state in table) if (table[state][event] !== undefined) states.push(state);
  return states;
}
