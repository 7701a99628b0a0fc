//! Symmetric systems of linear equations, for the most likely ratings and their errors.

/// A square matrix, row by row.
#[derive(Clone, Debug)]
pub(super) struct SquareMatrix {
    size: usize,
    cells: Vec<f64>,
}

impl SquareMatrix {
    pub(super) fn new(size: usize) -> SquareMatrix {
        SquareMatrix { size, cells: vec![0.0; size * size] }
    }

    /// Rows, which are as many as columns.
    pub(super) fn size(&self) -> usize {
        self.size
    }

    pub(super) fn get(&self, row: usize, column: usize) -> f64 {
        self.cells[row * self.size + column]
    }

    pub(super) fn at(&mut self, row: usize, column: usize) -> &mut f64 {
        &mut self.cells[row * self.size + column]
    }

    /// The lower triangle whose square is this matrix (Cholesky); `None` if it is not positive
    /// definite: then something is not determined.
    pub(super) fn factor(&self) -> Option<Triangle> {
        let mut lower = SquareMatrix::new(self.size);
        for row in 0..self.size {
            for column in 0..=row {
                let [a, b] = [row, column].map(|r| r * self.size);
                let dot: f64 = lower.cells[a..a + column]
                    .iter()
                    .zip(&lower.cells[b..b + column])
                    .map(|(x, y)| x * y)
                    .sum();
                let rest = self.get(row, column) - dot;
                *lower.at(row, column) = if row == column {
                    // Rounding errors of zero count as zero.
                    if rest <= 1e-12 * self.get(row, row).max(1e-300) {
                        return None;
                    }
                    rest.sqrt()
                } else {
                    rest / lower.get(column, column)
                };
            }
        }
        Some(Triangle(lower))
    }
}

/// A lower triangle.
pub(super) struct Triangle(SquareMatrix);

impl Triangle {
    /// Solves for the right-hand side.
    pub(super) fn solve(&self, right: &[f64]) -> Vec<f64> {
        let Triangle(lower) = self;
        let size = lower.size;
        let mut x = right.to_vec();
        for row in 0..size {
            let start = row * size;
            let done: f64 =
                lower.cells[start..start + row].iter().zip(&x).map(|(l, x)| l * x).sum();
            x[row] = (x[row] - done) / lower.get(row, row);
        }
        for row in (0..size).rev() {
            let value = x[row] / lower.get(row, row);
            x[row] = value;
            let start = row * size;
            for (x, l) in x.iter_mut().zip(&lower.cells[start..start + row]) {
                *x -= l * value;
            }
        }
        x
    }

    /// The inverse of the matrix.
    pub(super) fn inverse(&self) -> SquareMatrix {
        let size = self.0.size;
        let mut inverse = SquareMatrix::new(size);
        let mut unit = vec![0.0; size];
        for row in 0..size {
            unit[row] = 1.0;
            inverse.cells[row * size..(row + 1) * size].copy_from_slice(&self.solve(&unit));
            unit[row] = 0.0;
        }
        inverse
    }
}
