//! Everything that can go wrong while drawing or encoding.

/// Why no picture was made.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A picture without pixels, or one that does not fit in memory.
    #[error("a picture of {width} × {height} pixels cannot be made: each side must be 1 to {limit}, and the area at most {area} pixels", limit = crate::Picture::LARGEST_SIDE, area = crate::Picture::LARGEST_AREA)]
    Size {
        /// Asked width \[px\].
        width: usize,
        /// Asked height \[px\].
        height: usize,
    },
    /// The camera has no direction: the eye is at the target, up is parallel to the view, a
    /// value is not finite, or the field of view is not between 0° and 180°.
    #[error("the camera cannot look: {reason}")]
    Camera {
        /// What is wrong with it.
        reason: &'static str,
    },
    /// More triangles than a 32-bit index can name.
    #[error("the scene has {triangles} triangles, more than the renderer can index")]
    TooManyTriangles {
        /// How many there are.
        triangles: usize,
    },
    /// A filmstrip, an animation or a figure with nothing in it.
    #[error("{what} is empty")]
    Empty {
        /// The empty thing.
        what: &'static str,
    },
    /// A series whose x and y have different lengths.
    #[error("series \"{name}\" has {x} abscissae but {y} values")]
    SeriesLength {
        /// Name of the series.
        name: String,
        /// Length of x.
        x: usize,
        /// Length of y.
        y: usize,
    },
    /// A frame of an animation differs in size from the first one.
    #[error(
        "frame {frame} is {width} × {height} pixels, but the animation is {expected_width} × \
            {expected_height}"
    )]
    FrameSize {
        /// Number of the frame, from 0.
        frame: usize,
        /// Its width \[px\].
        width: usize,
        /// Its height \[px\].
        height: usize,
        /// Width of the first frame \[px\].
        expected_width: usize,
        /// Height of the first frame \[px\].
        expected_height: usize,
    },
    /// Frames per second beyond what an animation can have.
    #[error("{fps} frames per second is not a frame rate; 0.001 to 10000 are")]
    FrameRate {
        /// As given.
        fps: f64,
    },
    /// The PNG encoder failed.
    #[error("the PNG picture could not be written: {0}")]
    Png(#[from] png::EncodingError),
    /// The GIF encoder failed.
    #[error("the GIF animation could not be written: {0}")]
    Gif(#[from] gif::EncodingError),
    /// No `ffmpeg` program on the search path.
    #[error("MP4 needs the program `ffmpeg`, which was not found; install it or write a .gif")]
    FfmpegMissing,
    /// `ffmpeg` ran and gave up.
    #[error("ffmpeg failed ({status}): {message}")]
    Ffmpeg {
        /// Exit status in words.
        status: String,
        /// The last lines it wrote to its error stream.
        message: String,
    },
    /// Reading from or writing to a pipe failed.
    #[error("the encoded picture could not be written: {0}")]
    Io(#[from] std::io::Error),
}
