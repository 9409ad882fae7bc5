import { useShop } from '../shop/context.ts';

/** Says why changes of orders do not come by themselves. The place for it is always there, so that readers notice. */
export function Paused() {
  const { live } = useShop();
  return <div role="status">{live.paused && <p class="paused">{live.paused}</p>}</div>;
}
