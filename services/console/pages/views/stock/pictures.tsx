import type { AnswerTo } from '../../api/call.ts';

type Images = AnswerTo<'showProduct'>['images'];

interface PicturesProps {
  images: Images;
  onChange: (images: Images) => void;
}

/** The most pictures a product may have. */
const most = 10;

/** Addresses of a product's pictures, in order. The console loads none of them. */
export function Pictures({ images, onChange }: PicturesProps) {
  const replace = (index: number, change: Partial<Images[number]>) =>
    onChange(images.map((image, at) => (at === index ? { ...image, ...change } : image)));
  return (
    <fieldset>
      <legend>Pictures</legend>
      {images.map(({ url, alt }, index) => (
        <div class="picture" key={index}>
          <label>
            Address
            <input
              type="url"
              required
              pattern="https://.*"
              title="an address that begins with https://"
              aria-label={`Address of picture ${index + 1}`}
              value={url}
              onInput={({ currentTarget: { value } }) => replace(index, { url: value })}
            />
          </label>
          <label>
            What it shows
            <input
              dir="auto"
              aria-label={`What picture ${index + 1} shows`}
              value={alt}
              onInput={({ currentTarget: { value } }) => replace(index, { alt: value })}
            />
          </label>
          <button
            type="button"
            class="quiet"
            aria-label={`Remove picture ${index + 1}`}
            onClick={() => onChange(images.filter((_, at) => at !== index))}
          >
            Remove
          </button>
        </div>
      ))}
      {images.length < most && (
        <button type="button" class="quiet" onClick={() => onChange([...images, { url: '', alt: '' }])}>
          Add a picture
        </button>
      )}
    </fieldset>
  );
}
