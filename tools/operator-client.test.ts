import { hostname, userInfo } from 'node:os';
import { operatorName } from './operator-client.ts';

const present = process.env.OPERATOR;
afterEach(() => {
  if (present === undefined) delete process.env.OPERATOR;
  else process.env.OPERATOR = present;
});

it.each([
  ['ada@example.com', 'ada@example.com'],
  [' ada ', 'ada'],
  ['', `${userInfo().username}@${hostname()}`],
])('names the operator of OPERATOR=%j %s in the audit trail', (given, expected) => {
  process.env.OPERATOR = given;
  expect(operatorName()).toBe(expected);
});
