import { useShop } from '../shop/context.ts';

/** Says why orders do not update by themselves. The element is always present, so that screen readers notice. */
export function Paused() {
  const { live } = useShop();
  return <div role="status">{live.paused && <p class="paused">{live.paused}</p>}</div>;
}
