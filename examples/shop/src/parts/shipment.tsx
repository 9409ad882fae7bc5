import type { Order } from '@store-platform/client';

/** What the store entered about the shipment of an order. */
export function ShipmentText({ shipment }: { shipment: NonNullable<Order['shipment']> }) {
  const { carrier, trackingNumber, trackingUrl } = shipment;
  return (
    <dl>
      {carrier && (
        <div>
          <dt>Carrier</dt>
          <dd dir="auto">{carrier}</dd>
        </div>
      )}
      {trackingNumber && (
        <div>
          <dt>Tracking number</dt>
          <dd dir="auto">{trackingNumber}</dd>
        </div>
      )}
      {trackingUrl && (
        <div>
          <dt>Where it is</dt>
          <dd>
            <a href={trackingUrl} target="_blank" rel="noreferrer">
              Track the parcel
            </a>
          </dd>
        </div>
      )}
    </dl>
  );
}
